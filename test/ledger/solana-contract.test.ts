import { ledgerContract } from '../../core/testing/ledger-contract.ts';
import { solanaBench } from './bench.ts';

ledgerContract('the Solana ledger', solanaBench, { describe, it, before, after });
