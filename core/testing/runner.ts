/**
 * The functions of a test runner that the contract suites need; those of mocha and node:test fit as they are, and so
 * do vitest's and jest's with `before: beforeAll, after: afterAll`. Each suite takes the part it uses.
 */
export interface TestRunner {
  describe(name: string, body: () => void): unknown;
  it(name: string, body: () => Promise<void> | void): unknown;
  before(body: () => Promise<void> | void): unknown;
  after(body: () => Promise<void> | void): unknown;
  beforeEach(body: () => Promise<void>): unknown;
  afterEach(body: () => Promise<void>): unknown;
}
