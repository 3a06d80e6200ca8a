/** The command of Foundry that verifies a contract, for any shell: some take `?` and `[` for patterns of file names. */
export const verifyCommand = (address: string, url: string): string =>
  `forge verify-contract ${address} PATH:NAME --verifier blockscout --verifier-url '${url}/api?' --watch`;
