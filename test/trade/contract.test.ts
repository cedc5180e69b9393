import { fakeHttp, fakeTransactions, pluginContract, value } from '../../adapters/testing.ts';
import { Http, Transactions } from '../../core/services.ts';
import { tradePlugin } from '../../plugins/trade/index.ts';

// It calls nobody here: trade.test.ts has the service.
const services = [
  value(
    Http,
    fakeHttp(() => ({ status: 503, json: { error: 'closed' } })),
  ),
  value(Transactions, fakeTransactions().service),
];

pluginContract(tradePlugin, { services }, { describe, it });
