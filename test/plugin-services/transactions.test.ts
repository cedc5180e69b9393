import assert from 'node:assert/strict';
import {
  ACCOUNT_SIZE,
  AuthorityType,
  createApproveInstruction,
  createAssociatedTokenAccountIdempotentInstruction,
  createCloseAccountInstruction,
  createInitializeAccountInstruction,
  createSetAuthorityInstruction,
  createTransferInstruction,
  getAssociatedTokenAddressSync,
  TOKEN_PROGRAM_ID,
} from '@solana/spl-token';
import {
  AddressLookupTableProgram,
  Connection,
  Keypair,
  PublicKey,
  SystemProgram,
  type TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js';
import { Ledger } from '../../core/internal-services.ts';
import { definePlugin, type MeshError, type Permission } from '../../core/plugin.ts';
import { type TransactionRequest, Transactions } from '../../core/services.ts';
import { eventually } from '../support/eventually.ts';
import { type Member, type Mesh, startMesh } from '../support/mesh.ts';

const LOOKUP_TABLES: Permission = 'money:sign:AddressLookupTab1e1111111111111111111111111';
const FEE = 5_000n;

/** A plugin that hands out its service, the newest after a restart. */
function signer(name: string, ...permissions: Permission[]) {
  const found: { service?: Transactions } = {};
  const plugin = definePlugin({
    name,
    api: '2.0',
    permissions,
    node: {
      uses: { transactions: Transactions },
      setup({ transactions }) {
        found.service = transactions;
        return {};
      },
    },
  });
  return {
    plugin,
    get service(): Transactions {
      return found.service!;
    },
  };
}

describe('the service Transactions', function () {
  this.timeout(60_000);
  const narrow = signer('narrow', 'money:sign:11111111111111111111111111111111');
  const tables = signer('tables', LOOKUP_TABLES);
  const wide = signer('wide', 'money:sign:*');
  let mesh: Mesh<'alice' | 'bob'>;
  let alice: Member;
  let connection: Connection;
  let wallet: PublicKey;
  let bob: PublicKey;
  let usdc: PublicKey;
  let held: PublicKey;
  let keys = 0;
  before(async () => {
    mesh = await startMesh({
      nodes: ['alice', 'bob'],
      isolated: true,
      storage: 'lowdb',
      usdc: { alice: '100', bob: '1' },
      plugins: { alice: [narrow.plugin, tables.plugin, wide.plugin] },
      own: {
        alice: {
          core: { money: { maxEscrow: '5', maxPerDay: '7' } },
          ledger: { maxSolPerTransaction: '0.02', maxSolPerDay: '0.05' },
        },
      },
    });
    alice = mesh.nodes.alice;
    wallet = new PublicKey(alice.id);
    bob = new PublicKey(mesh.nodes.bob.id);
    usdc = new PublicKey(alice.node.get(Ledger).cluster.usdcMint);
    held = getAssociatedTokenAddressSync(usdc, wallet);
    connection = new Connection(mesh.localnet!.url, 'confirmed');
  });
  after(() => mesh?.stop());

  interface Made {
    readonly payer?: PublicKey;
    readonly signers?: readonly Keypair[];
    readonly blockhash?: string;
    readonly tables?: Parameters<TransactionMessage['compileToV0Message']>[0];
  }

  /** A transaction as a service would hand it over: everything signed but the wallet's place. */
  async function made(
    instructions: TransactionInstruction[],
    { payer = wallet, signers = [], blockhash, tables }: Made = {},
  ) {
    const recentBlockhash = blockhash ?? (await connection.getLatestBlockhash()).blockhash;
    const message = new TransactionMessage({ payerKey: payer, recentBlockhash, instructions }).compileToV0Message(
      tables,
    );
    const transaction = new VersionedTransaction(message);
    transaction.sign([...signers]);
    return Buffer.from(transaction.serialize()).toString('base64');
  }
  const pay = (lamports: number) => SystemProgram.transfer({ fromPubkey: wallet, toPubkey: bob, lamports });
  const key = () => `key-${++keys}`;
  const request = (transaction: string, terms: Omit<TransactionRequest, 'key' | 'transaction'> = {}) => ({
    key: key(),
    transaction,
    ...terms,
  });
  const refusals = async (transaction: string, terms = {}, by = wide) =>
    (await by.service.inspect(transaction, terms)).refusals.join('; ');
  const refused = (code: string, detail: RegExp) => (error: MeshError) => {
    assert.equal(error.code, code, error.message);
    assert.match(error.message, detail);
    return true;
  };

  it('says what a transaction would do, fee included, and signs nothing', async () => {
    const before = await connection.getBalance(wallet);
    const report = await narrow.service.inspect(await made([pay(1_000_000)]), { spend: { lamports: 1_005_000n } });
    assert.deepEqual(report, {
      feePayer: alice.id,
      signers: [{ address: alice.id, signed: false }],
      programs: ['11111111111111111111111111111111'],
      lamports: -1_000_000n - FEE,
      tokens: {},
      refusals: [],
    });
    assert.equal(await connection.getBalance(wallet), before);
  });

  it('sends what keeps its terms, once under a key', async () => {
    const before = BigInt(await connection.getBalance(bob));
    const transaction = await made([pay(2_000_000)]);
    const wanted = request(transaction, { spend: { lamports: 2_005_000n } });
    const [one, two] = await Promise.all([narrow.service.send(wanted), narrow.service.send(wanted)]);
    assert.equal(one.signature, two.signature);
    await eventually(async () => (await narrow.service.find(wanted.key))?.status === 'final');
    assert.deepEqual(await narrow.service.send(wanted), { signature: one.signature, status: 'final' });
    assert.equal(BigInt(await connection.getBalance(bob)) - before, 2_000_000n);
    const other = { ...wanted, transaction: await made([pay(1)]) };
    await assert.rejects(narrow.service.send(other), refused('idempotency_mismatch', /another transaction/));
    assert.equal(await wide.service.find(wanted.key), undefined);
    const twin = { ...wanted, key: key() };
    await assert.rejects(narrow.service.send(twin), refused('conflict', /was sent for another step/));
  });

  it('sends nothing that takes more than was said, and names both numbers', async () => {
    const wanted = request(await made([pay(3_000_000)]), { spend: { lamports: 3_000_000n } });
    await assert.rejects(
      narrow.service.send(wanted),
      refused('transaction_refused', /it takes 3005000 lamports, and 3000000 is allowed/),
    );
    assert.equal(await narrow.service.find(wanted.key), undefined);
    const { refusals: list } = await narrow.service.inspect(wanted.transaction, { receive: { lamports: 5n } });
    assert.deepEqual(list, ['takes 3005000 lamports, and 0 is allowed']);
  });

  it('refuses tokens that leave unasked, or come in too few', async () => {
    const to = getAssociatedTokenAddressSync(usdc, bob);
    const sent = await made([createTransferInstruction(held, to, wallet, 1_000_000)]);
    const spend = { lamports: FEE };
    assert.equal(await refusals(sent, { spend }), `takes 1000000 of ${usdc.toBase58()}, and 0 is allowed`);
    const tokens = { [usdc.toBase58()]: 1_000_000n };
    assert.equal(await refusals(sent, { spend: { ...spend, tokens } }), '');
    const least = { receive: { tokens: { [usdc.toBase58()]: 5n } }, spend: { lamports: FEE } };
    assert.match(await refusals(await made([pay(0)]), least), /gives 0 of .*, and 5 is the least/);
  });

  it('counts USDC against the caps of the operator', async () => {
    const to = getAssociatedTokenAddressSync(usdc, bob);
    const send = async (amount: number) => {
      const terms = { spend: { lamports: FEE, tokens: { [usdc.toBase58()]: BigInt(amount) } } };
      return wide.service.send(request(await made([createTransferInstruction(held, to, wallet, amount)]), terms));
    };
    await assert.rejects(send(5_000_001), refused('spending_cap', /core\.money\.maxEscrow allows 5 USDC/));
    assert.match((await send(4_000_000)).status, /confirmed|final/);
    await assert.rejects(send(4_000_001), refused('spending_cap', /core\.money\.maxPerDay allows 7 USDC/));
    assert.equal((await alice.get('/portfolio/caps')).body.day.used_usdc, '4');
  });

  it('counts SOL against caps of its own', async () => {
    const send = async (lamports: number) =>
      narrow.service.send(request(await made([pay(lamports)]), { spend: { lamports: 900_000_000n } }));
    await assert.rejects(
      send(20_000_000),
      refused('spending_cap', /maxSolPerTransaction allows 0\.02 SOL .*needs 0\.020005/),
    );
    await send(19_000_000);
    await send(19_000_001);
    await assert.rejects(send(19_000_002), refused('spending_cap', /maxSolPerDay allows 0\.05 SOL/));
  });

  it('refuses what passes a right over the wallet or its accounts to somebody', async () => {
    const spend = { lamports: 10_000_000n, tokens: { [usdc.toBase58()]: 100_000_000n } };
    const approve = createApproveInstruction(held, bob, wallet, 5);
    assert.match(await refusals(await made([approve]), { spend }), new RegExp(`^lets ${bob.toBase58()} spend from`));
    const give = createSetAuthorityInstruction(held, wallet, AuthorityType.AccountOwner, bob);
    assert.match(await refusals(await made([give]), { spend }), /^gives the token account .* to /);
    const close = createSetAuthorityInstruction(held, wallet, AuthorityType.CloseAccount, bob);
    assert.match(await refusals(await made([close]), { spend }), /close the token account/);
    const all = (await connection.getTokenAccountBalance(held)).value.amount;
    const empty = createTransferInstruction(held, getAssociatedTokenAddressSync(usdc, bob), wallet, BigInt(all));
    const gone = createCloseAccountInstruction(held, wallet, wallet);
    assert.equal(
      await refusals(await made([empty, gone]), { spend }),
      `closes the token account ${held.toBase58()} of ${usdc.toBase58()}`,
    );
    const assign = SystemProgram.assign({ accountPubkey: wallet, programId: TOKEN_PROGRAM_ID });
    assert.match(await refusals(await made([assign]), { spend }), /^gives the wallet to a program|^would fail/);
  });

  it('refuses programs that were not granted, whoever calls them, and the program of the mesh always', async () => {
    const slot = (await connection.getSlot('finalized')) - 1;
    const [create] = AddressLookupTableProgram.createLookupTable({
      authority: wallet,
      payer: wallet,
      recentSlot: slot,
    });
    const wanted = await made([create]);
    const spend = { lamports: 10_000_000n };
    assert.match(
      await refusals(wanted, { spend }, narrow),
      /could call AddressLookupTab1e\w+, for which the permission money:sign:Addr/,
    );
    assert.equal(await refusals(wanted, { spend }, tables), '');
    assert.equal(await refusals(wanted, { spend }, wide), '');
    const program = new PublicKey(alice.node.get(Ledger).settlement!.deployment.programId);
    const hidden = { pubkey: program, isSigner: false, isWritable: false };
    const withProgram = pay(1);
    withProgram.keys.push(hidden);
    assert.match(await refusals(await made([withProgram]), { spend }), /could call the settlement program/);
    const loader = pay(1);
    loader.keys.push({ ...hidden, pubkey: new PublicKey('BPFLoaderUpgradeab1e11111111111111111111111') });
    assert.match(await refusals(await made([loader]), { spend }), /could call BPFLoaderUpgradeab1e/);
  });

  it('refuses signatures of others that were not named, and takes those that were', async () => {
    const sponsor = Keypair.generate();
    await connection.requestAirdrop(sponsor.publicKey, 1_000_000_000);
    await eventually(async () => (await connection.getBalance(sponsor.publicKey)) > 0);
    const gift = SystemProgram.transfer({ fromPubkey: sponsor.publicKey, toPubkey: wallet, lamports: 7_000 });
    const given = await made([gift, pay(1_000)], { payer: sponsor.publicKey, signers: [sponsor] });
    const who = sponsor.publicKey.toBase58();
    const found = await refusals(given);
    assert.match(found, new RegExp(`has its fee paid by ${who}`));
    assert.match(found, new RegExp(`needs the signature of ${who}`));
    assert.equal(await refusals(given, { feePayer: who, receive: { lamports: 6_000n } }), '');
    assert.equal(
      await refusals(given, { feePayer: who, receive: { lamports: 6_001n } }),
      'gives 6000 lamports, and 6001 is the least',
    );
    const sent = await narrow.service.send(request(given, { feePayer: who, receive: { lamports: 6_000n } }));
    assert.match(sent.status, /confirmed|final/);
    const unsigned = await made([gift], { payer: sponsor.publicKey });
    assert.match(await refusals(unsigned, { feePayer: who }), /does not need the signature of this wallet/);
  });

  it('signs its place alone for somebody else to send', async () => {
    const payer = Keypair.generate();
    await connection.requestAirdrop(payer.publicKey, 1_000_000_000);
    await eventually(async () => (await connection.getBalance(payer.publicKey)) > 0);
    const transaction = await made([pay(500)], { payer: payer.publicKey });
    const terms = { feePayer: payer.publicKey.toBase58(), spend: { lamports: 500n } };
    const signed = await narrow.service.sign(request(transaction, terms));
    const whole = VersionedTransaction.deserialize(Buffer.from(signed, 'base64'));
    whole.sign([payer]);
    const signature = await connection.sendRawTransaction(whole.serialize());
    await eventually(
      async () => (await connection.getSignatureStatus(signature)).value?.confirmationStatus !== undefined,
    );
    await assert.rejects(
      narrow.service.send(request(transaction, terms)),
      refused('invalid_request', /lacks a signature|fields are wrong/),
    );
  });

  it('relays what others signed wholly, once, and nothing that is this wallet’s or was not granted', async () => {
    const payer = Keypair.generate();
    await connection.requestAirdrop(payer.publicKey, 1_000_000_000);
    await eventually(async () => (await connection.getBalance(payer.publicKey)) > 0);
    const { lastValidBlockHeight, blockhash } = await connection.getLatestBlockhash();
    const lifetime = { blockhash, lastValidBlockHeight, madeAfter: await connection.getSlot() };
    const gift = (lamports: number) => SystemProgram.transfer({ fromPubkey: payer.publicKey, toPubkey: bob, lamports });
    const theirs = { payer: payer.publicKey, signers: [payer], blockhash };
    const relay = (transaction: string, more: object = {}) =>
      narrow.service.relay({ key: `relay-${++keys}`, transaction, lifetime, ...more });
    const transaction = await made([gift(1_000_000)], theirs);
    const before = await connection.getBalance(bob);
    const one = await relay(transaction, { key: 'gift' });
    const two = await relay(transaction, { key: 'gift' });
    assert.match(one.status, /confirmed|final/);
    assert.deepEqual([two.signature, (await connection.getBalance(bob)) - before], [one.signature, 1_000_000]);
    await assert.rejects(relay(transaction, { key: 'again' }), refused('conflict', /sent for another step/));
    await assert.rejects(
      relay(await made([pay(500)], { payer: payer.publicKey, signers: [payer], blockhash })),
      refused('transaction_refused', /needs the signature of this wallet/),
    );
    await assert.rejects(
      relay(await made([gift(1)], { ...theirs, signers: [] })),
      refused('transaction_refused', new RegExp(`lacks the signature of ${payer.publicKey.toBase58()}`)),
    );
    const [table] = AddressLookupTableProgram.createLookupTable({
      ...{ authority: payer.publicKey, payer: payer.publicKey },
      recentSlot: (await connection.getSlot('finalized')) - 1,
    });
    await assert.rejects(
      relay(await made([table], theirs)),
      refused('transaction_refused', /could call AddressLookupTab1e1111111111111111111111111/),
    );
    await assert.rejects(
      relay(await made([gift(5_000_000_000)], theirs)),
      refused('transaction_refused', /would fail/),
    );
    await assert.rejects(
      relay(await made([gift(2)], theirs), { lifetime: { ...lifetime, blockhash: bob.toBase58() } }),
      refused('invalid_request', /is of another transaction|fields are wrong/),
    );
  });

  it('counts wrapped SOL and the rent of own accounts as SOL that stays', async () => {
    const account = Keypair.generate();
    const rent = await connection.getMinimumBalanceForRentExemption(ACCOUNT_SIZE);
    const native = new PublicKey('So11111111111111111111111111111111111111112');
    const wrap = await made(
      [
        SystemProgram.createAccount({
          ...{ fromPubkey: wallet, newAccountPubkey: account.publicKey, lamports: rent + 1_000, space: ACCOUNT_SIZE },
          programId: TOKEN_PROGRAM_ID,
        }),
        createInitializeAccountInstruction(account.publicKey, native, wallet),
      ],
      { signers: [account] },
    );
    const cosigners = [account.publicKey.toBase58()];
    assert.equal(await refusals(wrap, { cosigners, spend: { lamports: 2n * FEE } }), '');
    const foreign = createAssociatedTokenAccountIdempotentInstruction(
      wallet,
      getAssociatedTokenAddressSync(usdc, account.publicKey),
      account.publicKey,
      usdc,
    );
    assert.match(await refusals(await made([foreign]), { spend: { lamports: FEE } }), /takes \d{7} lamports/);
  });

  it('refuses what is too old, what would fail, and what is no transaction', async () => {
    const old = await made([pay(1)], { blockhash: Keypair.generate().publicKey.toBase58() });
    assert.match(await refusals(old, { spend: { lamports: 10_000n } }), /would fail: .*BlockhashNotFound/);
    const much = await made([pay(5_000_000_000)]);
    assert.match(await refusals(much), /^would fail/);
    for (const text of ['', 'AA==', '!', Buffer.alloc(1_300).toString('base64')])
      await assert.rejects(wide.service.inspect(text), refused('invalid_request', /./));
    const valid = Buffer.from(await made([pay(1)]), 'base64');
    await assert.rejects(
      wide.service.inspect(Buffer.concat([valid, Buffer.from([0])]).toString('base64')),
      refused('invalid_request', /./),
    );
    await assert.rejects(
      wide.service.send({ key: 'a b', transaction: valid.toString('base64') }),
      refused('invalid_request', /./),
    );
  });

  it('finds accounts that a lookup table names', async () => {
    const slot = await connection.getSlot('finalized');
    const [create, table] = AddressLookupTableProgram.createLookupTable({
      ...{ authority: wallet, payer: wallet, recentSlot: slot - 1 },
    });
    const hidden = new PublicKey(alice.node.get(Ledger).settlement!.deployment.programId);
    const extend = AddressLookupTableProgram.extendLookupTable({
      ...{ lookupTable: table, authority: wallet, payer: wallet, addresses: [bob, hidden] },
    });
    await tables.service.send(request(await made([create, extend]), { spend: { lamports: 10_000_000n } }));
    await eventually(async () => {
      const { value } = await connection.getAddressLookupTable(table, { commitment: 'finalized' });
      return value?.state.addresses.length === 2;
    });
    const { value } = await connection.getAddressLookupTable(table, { commitment: 'finalized' });
    const plain = await made([pay(5)], { tables: [value!] });
    // New entries of a table can be used in the next slot.
    await eventually(async () => (await refusals(plain, { spend: { lamports: 5n + FEE } })) === '');
    const smuggled = pay(5);
    smuggled.keys.push({ pubkey: hidden, isSigner: false, isWritable: false });
    const found = await refusals(await made([smuggled], { tables: [value!] }), { spend: { lamports: 5n + FEE } });
    assert.match(found, /could call the settlement program/);
  });
});
