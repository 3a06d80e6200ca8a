import { join } from 'node:path';
import { formatAddress, parseDenom, type Signer, signTransaction } from '@switchyard/protocol';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type CometNetwork,
  type CometNode,
  cometIsThere,
  configure,
  createCometNetwork,
  reach,
} from '../support/comet.ts';
import { faultyProposer } from '../support/faulty-proposer.ts';
import { until } from '../support/network.ts';
import { ALICE, ask, BOB } from '../support/submitting.ts';

/** Four validators of real CometBFT on this machine, each with an application process of its own, and a follower. */
const NRIA = parseDenom('nria');
const amount = (value: bigint) => ({ lo: String(value), hi: '0' });
const fee = (base: bigint) => ({ base: amount(base), multiplier: amount(0n) });
const wire = (who: Signer) => ({ bech32m: formatAddress(who.account) });

const appState = {
  address_prefixes: { base: 'astria', ibc_compat: 'astriacompat' },
  accounts: [ALICE, BOB].map((who) => ({ address: wire(who), balance: amount(1_000_000_000n) })),
  authority_sudo_address: wire(ALICE),
  ibc_sudo_address: wire(ALICE),
  ibc_relayer_addresses: [],
  native_asset_base_denomination: 'nria',
  ibc_parameters: {
    ibc_enabled: false,
    inbound_ics20_transfers_enabled: false,
    outbound_ics20_transfers_enabled: false,
  },
  allowed_fee_assets: ['nria'],
  fees: { transfer: fee(12n), validator_update: fee(0n), fee_change: fee(0n) },
};

describe.runIf(cometIsThere())('four validators of CometBFT', () => {
  let chain: CometNetwork;
  const nodes = (...indexes: number[]): CometNode[] =>
    indexes.map((index) => {
      const node = chain.nodes[index];
      if (node === undefined) throw new Error(`no node ${index}`);
      return node;
    });
  const nonces = new Map<Signer, number>();

  beforeAll(async () => {
    chain = await createCometNetwork({
      validators: 4,
      followers: 1,
      appState,
      appEnv: { SVC_SEQUENCER_SNAPSHOT_INTERVAL: '20' },
    });
    await Promise.all(nodes(0, 1, 2, 3).map((node) => node.start()));
    await Promise.all(nodes(0, 1, 2, 3).map((node) => reach(node, 2n)));
  });

  afterAll(() => chain?.dispose());

  /** Sends a transaction by one node and waits until another has it in a block. */
  async function include(
    signer: Signer,
    action: Parameters<typeof signTransaction>[0]['actions'][number],
    via = 0,
    at = via,
  ) {
    const nonce = nonces.get(signer) ?? 0;
    const bytes = signTransaction({ nonce, chainId: chain.chain, actions: [action] }, signer);
    const [sender, reader] = nodes(via, at);
    const hex = Buffer.from(bytes).toString('hex');
    const { body } = await ask(`${sender?.rpc}/broadcast_tx_sync?tx=0x${hex}`);
    expect(body.result).toMatchObject({ code: 0 });
    nonces.set(signer, nonce + 1);
    return await until('the transaction is in a block', async () => {
      const found = await ask(`${reader?.rpc}/tx?hash=0x${body.result.hash}`);
      return found.body.result === undefined ? undefined : BigInt(found.body.result.height);
    });
  }

  const transfer = (to: Signer, value: bigint) =>
    ({
      kind: 'transfer',
      to: { account: to.account, prefix: 'astria' },
      amount: value,
      asset: NRIA,
      feeAsset: NRIA,
    }) as const;

  async function sameRoots(height: bigint, ...which: CometNode[]): Promise<void> {
    await Promise.all(which.map((node) => reach(node, height)));
    const roots = await Promise.all(which.map((node) => node.appHash(height)));
    expect(new Set(roots).size).toBe(1);
  }

  const now = async (index: number) => (await nodes(index)[0]?.height()) ?? 0n;

  test('a transaction given to one is executed by all', async () => {
    const height = await include(ALICE, transfer(BOB, 5n), 0, 3);
    await sameRoots(height + 1n, ...nodes(0, 1, 2, 3));
  });

  test('blocks continue with one killed, stop with two, and continue when one is back', async () => {
    const [, , third, fourth] = nodes(0, 1, 2, 3);
    await fourth?.stop('SIGKILL');
    await reach(chain.nodes[0] as CometNode, (await now(0)) + 3n);
    await include(ALICE, transfer(BOB, 1n));

    await third?.stop('SIGKILL');
    const stopped = await now(0);
    // A block that was under way may still be decided.
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    const stuck = await now(0);
    expect(stuck - stopped).toBeLessThanOrEqual(1n);

    await third?.start();
    await reach(chain.nodes[0] as CometNode, stuck + 3n);
    const height = await include(BOB, transfer(ALICE, 2n), 1, 2);
    await fourth?.start();
    await sameRoots(height + 1n, ...nodes(0, 1, 2, 3));
  });

  test('a validator that lost everything catches up from the blocks of the others', async () => {
    const [last] = nodes(3);
    await last?.stop('SIGKILL');
    last?.wipe();
    await last?.start();
    const height = (await now(0)) + 1n;
    await sameRoots(height, ...nodes(0, 1, 2, 3));
  });

  test('a new node joins from a snapshot of the state, without the blocks before', async () => {
    const [first, second, joining] = nodes(0, 1, 4);
    const trusted = await reach(first as CometNode, 25n);
    const { body } = await ask(`${first?.rpc}/commit?height=5`);
    configure(join(joining?.home ?? '', 'comet'), {
      'statesync.enable': true,
      'statesync.rpc_servers': `${first?.rpc},${second?.rpc}`,
      'statesync.trust_height': 5,
      'statesync.trust_hash': body.result.signed_header.commit.block_id.hash,
      'statesync.discovery_time': '5s',
    });
    await joining?.start();
    await sameRoots(trusted + 3n, ...nodes(0, 1, 2, 3, 4));
    const { sync_info: info } = (await ask(`${joining?.rpc}/status`)).body.result;
    expect(BigInt(info.earliest_block_height)).toBeGreaterThan(15n);
  });

  test('a proposer that sends bad proposals never gets one decided', async () => {
    const [first, liar] = nodes(0, 1) as [CometNode, CometNode];
    const { address } = (await ask(`${liar.rpc}/status`)).body.result.validator_info;
    await liar.stop('SIGKILL');
    const [inside, outside] = [join(liar.home, 'app.sock'), join(liar.home, 'lies.sock')];
    const proxy = await faultyProposer(outside, inside);
    try {
      configure(join(liar.home, 'comet'), { proxy_app: `unix://${outside}` });
      await liar.start();
      const from = (await reach(liar, (await now(0)) + 1n)) + 1n;
      await until('it has proposed', () => (proxy.lies() >= 2 ? true : undefined), 60_000);
      const to = await reach(first, (await now(0)) + 2n, 60_000);
      for (let height = from; height <= to; height += 1n) {
        const { body } = await ask(`${first.rpc}/block?height=${height}`);
        expect(body.result.block.header.proposer_address).not.toBe(address);
      }
      // It validates the others' blocks honestly, and has the same state.
      await sameRoots(to, ...nodes(0, 1, 2, 3));
    } finally {
      await liar.stop('SIGKILL');
      proxy.close();
      configure(join(liar.home, 'comet'), { proxy_app: `unix://${inside}` });
      await liar.start();
    }
    await sameRoots((await now(0)) + 2n, ...nodes(0, 1, 2, 3));
  });

  test('a validator is taken out and in by a transaction, two blocks later', async () => {
    const [first, , , fourth] = nodes(0, 1, 2, 3);
    const validators = async (height: bigint): Promise<string[]> => {
      const { body } = await ask(`${first?.rpc}/validators?height=${height}&per_page=100`);
      return body.result.validators.map(({ address }: { address: string }) => address);
    };
    const own = (await ask(`${fourth?.rpc}/status`)).body.result.validator_info;
    const publicKey = Uint8Array.from(Buffer.from(own.pub_key.value, 'base64'));
    const change = (power: bigint) => ({ kind: 'validatorUpdate', publicKey, power, name: '' }) as const;

    const out = await include(ALICE, change(0n));
    await reach(first as CometNode, out + 3n);
    expect([
      (await validators(out + 1n)).includes(own.address),
      (await validators(out + 2n)).includes(own.address),
    ]).toEqual([true, false]);
    const back = await include(ALICE, change(10n));
    await sameRoots(back + 3n, ...nodes(0, 1, 2, 3));
    expect((await validators(back + 2n)).includes(own.address)).toBe(true);
  });
});
