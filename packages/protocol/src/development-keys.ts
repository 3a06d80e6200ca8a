import { sha256Hex } from './hash.ts';

/** SHA-256 of the published private keys: development accounts of the reference and of ours, and of the anvil mnemonic. */
const DIGESTS: ReadonlySet<string> = new Set([
  'bd306425d873dc3e9fd1520e693954d6d605e8ad2fae4e48f53a395526f39abe',
  '57e588cef5d05eec04b6c0cf427c0ec308aa6bf6803fb14d2bd1e3ed8e172a6b',
  '1b3f3436d7df127bddd5aba84ac33d2e1a295eecdd293f244dbfc09cf9f34a52',
  'b27b19e8494cbd1e38570666f32ccbe25574674b2b9c0a508ea9d48996ffff6e',
  '075fea54d6dfb03e8cb846a75db07849af7729c7dd8d5808d585c0049b1d7f82',
  '22c09a95febd6c85b81ea7f8efa3ea890bb7aae77e1401087fcf969a855cf073',
  'a3008e53b5f87054beb0eefb6aa1476b6083b48e8b2b95e5711c5d76fdc4f6cd',
  'f25583289cb8b31fa36d80b3193d18ed2ae6f85133c841957240bb048f8b3502',
  '7c89d8c8c540af54e1eb3a522f6769784ca278e0df94f4559255207fa90d6ac1',
  'c495fbaab905bfe631e965df75aeea951581113d9180a9a5915eb2b1aed75710',
  '59891c96881dfbcf7d2ddc270b7813e666694fbbffe8ddd2736bf91c1b0e85d4',
  'bca4c2c0761d850f0c403a699280f70f86ab6659a611ada431019203cd66098f',
  '193ae84c4c9567c25105535802f463f3f8dc420b0ce9a5b57c7931c764e623d6',
  'e25a680eff8baac7b15129a830ecc40211017919d5d32fce8c6b409af753e50f',
  '6718ba8966161cc843e01e8d19f018859e1bcba7f0e8f2c108578b497ac408b7',
  'ac29b3735d1b57180dea890d6321cd27e593723cbe9e227eed8a3fa35945122c',
  '93e372c67f7238faf2dfdc029246b299e88d71937680cbb895fedeb2a262ed19',
  '59ad99d565557cc0968550ed2f5ea5ff5fd1d279324a25d324a531053c9c16a3',
  '2d1831e800ec18fe3e29da2e4357db936efce5b9792d76683d465582f0910db0',
  '25061aad2bb0917814989eb38f95608a744ecb8173fdce329486e8b83086e5f0',
  'c9a12b06aef0253a2241632a9bbbbcf8e3d82eb7e8d24b2b88725b5d3dac648a',
]);

/** Whether a private key, of either curve, is published in a repository: what it holds belongs to everybody. */
export function isDevelopmentKey(secret: Uint8Array): boolean {
  return DIGESTS.has(sha256Hex(secret));
}
