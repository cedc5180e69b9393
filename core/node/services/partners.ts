import { token } from '../../plugin.ts';
import type { Partners as PartnersService } from '../deals/partners.ts';

export type Partners = PartnersService;
export const Partners = token<Partners>('partners');
