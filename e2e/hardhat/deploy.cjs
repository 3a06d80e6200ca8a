// Deploys the token and prints its address.
const { artifacts, network } = require('hardhat');

async function main() {
  const { bytecode } = await artifacts.readArtifact('Token');
  const [from] = await network.provider.send('eth_accounts');
  const data = bytecode + process.env.CONSTRUCTOR_ARGUMENTS.replace(/^0x/, '');
  const hash = await network.provider.send('eth_sendTransaction', [{ from, data }]);
  for (;;) {
    const receipt = await network.provider.send('eth_getTransactionReceipt', [hash]);
    if (receipt) return console.log(`deployed ${receipt.contractAddress}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

main().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
