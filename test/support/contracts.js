// mocha loads this before the tests: they load the code of contracts, which would take each process seconds to compile.
import { provideContracts } from '../../bin/contracts.js';

provideContracts();
