import { internalToken } from '../../platform/token.ts';
import type { Partners as PartnersService } from '../deals/partners.ts';

export type Partners = PartnersService;
export const Partners = internalToken<Partners>('partners');
