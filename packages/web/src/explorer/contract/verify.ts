/** The command of Foundry that verifies a contract, for any shell: some take `?` and `[` for patterns of file names. */
export const verifyCommand = (address: string, url: string): string =>
  `forge verify-contract ${address} PATH:NAME --verifier blockscout --verifier-url '${url}/api?' --watch`;

/** Parameters of a verification from the fields of a form, whose names are those of Etherscan. */
export function toClaim(address: string, fields: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const isStandardJson = fields.sourcecode?.trimStart().startsWith('{') === true;
  return {
    ...fields,
    contractaddress: address,
    codeformat: isStandardJson ? 'solidity-standard-json-input' : 'solidity-single-file',
    optimizationused: fields.runs ? '1' : '0',
  };
}
