// The project of a user of Hardhat 3. Compilers come from npm, since tests have no access to the internet.
import ignition from '@nomicfoundation/hardhat-ignition';
import networkHelpers from '@nomicfoundation/hardhat-network-helpers';
import verify from '@nomicfoundation/hardhat-verify';

const { EVM_URL, CHAIN_ID, EXPLORER_URL = '', DEPLOYER_KEY, SOLJSON, SOLC_VERSION } = process.env;

export default {
  plugins: [ignition, networkHelpers, verify],
  solidity: {
    version: SOLC_VERSION,
    path: SOLJSON,
    settings: { evmVersion: 'cancun', optimizer: { enabled: true, runs: 200 } },
  },
  networks: {
    switchyard: {
      type: 'http',
      url: EVM_URL,
      chainId: Number(CHAIN_ID),
      accounts: DEPLOYER_KEY ? [DEPLOYER_KEY] : 'remote',
    },
  },
  chainDescriptors: {
    [CHAIN_ID]: {
      name: 'Switchyard',
      blockExplorers: {
        etherscan: { url: EXPLORER_URL, apiUrl: `${EXPLORER_URL}/api` },
        blockscout: { url: EXPLORER_URL, apiUrl: `${EXPLORER_URL}/api` },
      },
    },
  },
  verify: { etherscan: { apiKey: 'any' }, sourcify: { enabled: false } },
  ignition: { requiredConfirmations: 1, blockPollingInterval: 50 },
};
