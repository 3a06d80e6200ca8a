// The project of a user of Hardhat. Compilers come from npm, since tests have no access to the internet.
require('@nomicfoundation/hardhat-verify');
const { subtask } = require('hardhat/config');
const { TASK_COMPILE_SOLIDITY_GET_SOLC_BUILD } = require('hardhat/builtin-tasks/task-names');

const { EVM_URL, CHAIN_ID, EXPLORER_URL, DEPLOYER_KEY, SOLJSON, SOLC_VERSION = '' } = process.env;
const [version] = SOLC_VERSION.split('+');

subtask(TASK_COMPILE_SOLIDITY_GET_SOLC_BUILD, async () => ({
  compilerPath: SOLJSON,
  isSolcJs: true,
  version,
  longVersion: SOLC_VERSION,
}));

module.exports = {
  solidity: { version, settings: { evmVersion: 'cancun', optimizer: { enabled: true, runs: 200 } } },
  networks: { switchyard: { url: EVM_URL, accounts: [DEPLOYER_KEY] } },
  etherscan: {
    apiKey: { switchyard: 'any' },
    customChains: [
      {
        network: 'switchyard',
        chainId: Number(CHAIN_ID),
        urls: { apiURL: `${EXPLORER_URL}/api`, browserURL: EXPLORER_URL },
      },
    ],
  },
  sourcify: { enabled: false },
};
