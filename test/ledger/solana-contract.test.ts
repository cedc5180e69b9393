import { ledgerContract } from '../contract/ledger.ts';
import { solanaBench } from './bench.ts';

ledgerContract('the Solana ledger', solanaBench, { describe, it, before, after });
