// Uses each of Hardhat's network helpers, and prints as JSON what it then finds on the node.
import hre from 'hardhat';

const { networkHelpers: h, provider } = await hre.network.create('switchyard');
const ask = (method, ...params) => provider.request({ method, params });
const seen = {};
const address = '0x00000000000000000000000000000000000057a7';
const snapshot = await h.takeSnapshot();
const before = await h.time.latestBlock();
await h.mine(3, { interval: 60 });
seen.mined = (await h.time.latestBlock()) - before;
await h.mineUpTo(before + 10);
seen.upTo = (await h.time.latestBlock()) - before;
const later = (await h.time.latest()) + 1000;
await h.time.increaseTo(later);
seen.increasedTo = (await h.time.latest()) - later;
seen.increased = (await h.time.increase(50)) - later;
await h.time.setNextBlockTimestamp(later + 100);
await h.setNextBlockBaseFeePerGas(1_234_567);
await h.setPrevRandao(77);
await h.setCoinbase(address);
await h.setBlockGasLimit(31_000_000);
await h.mine();
const { timestamp, baseFeePerGas, mixHash, miner, gasLimit } = await ask('eth_getBlockByNumber', 'latest', false);
seen.block = {
  timestamp: Number(timestamp) - later,
  baseFee: Number(baseFeePerGas),
  prevRandao: Number(mixHash),
  miner,
  gasLimit: Number(gasLimit),
};
await h.setBalance(address, 10n ** 18n);
await h.setNonce(address, 9);
await h.setCode(address, '0x5f545f5260205ff3');
await h.setStorageAt(address, 0, 0xabc);
seen.slot = await h.getStorageAt(address, 0);
seen.called = await ask('eth_call', { to: address });
await h.setCode(address, '0x');
await h.impersonateAccount(address);
const hash = await ask('eth_sendTransaction', { from: address, to: address, value: '0x1' });
seen.nonce = Number((await ask('eth_getTransactionByHash', hash)).nonce);
await h.stopImpersonatingAccount(address);
seen.afterwards = await ask('eth_sendTransaction', { from: address, to: address }).then(
  () => 'sent',
  () => 'refused',
);
await ask('evm_setAutomine', false);
const [from] = await ask('eth_accounts');
const dropped = await ask('eth_sendTransaction', { from, to: address });
seen.isDropped = await h.dropTransaction(dropped);
await ask('evm_setAutomine', true);
await snapshot.restore();
seen.restored = (await h.time.latestBlock()) - before;
seen.balance = await ask('eth_getBalance', address, 'latest');
console.log(JSON.stringify(seen));
