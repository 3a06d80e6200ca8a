/** Which rollups run on top of sequencer, composer and conductor. */
export type Template = 'messenger' | 'evm' | 'messenger,evm' | 'empty';

/** With what each is, for people. */
export const TEMPLATES: Readonly<Record<Template, string>> = {
  messenger: 'a rollup to chat on',
  evm: 'an Ethereum rollup with JSON-RPC and a faucet',
  'messenger,evm': 'both, side by side',
  empty: 'no rollup, and an example of how to add your own',
};

/** The template of this name; rollups may be named in any order. */
export function templateOf(name: string | undefined): Template | undefined {
  const sorted = name
    ?.split(',')
    .map((part) => part.trim())
    .toSorted((a, b) => b.localeCompare(a))
    .join();
  return Object.keys(TEMPLATES).find((known): known is Template => known === sorted);
}

export function templateFor({ messenger, evm }: { readonly messenger: boolean; readonly evm: boolean }): Template {
  if (messenger) return evm ? 'messenger,evm' : 'messenger';
  return evm ? 'evm' : 'empty';
}

export const hasMessenger = (template: Template) => template === 'messenger' || template === 'messenger,evm';
export const hasEvm = (template: Template) => template === 'evm' || template === 'messenger,evm';

/** Facts that decide the names of rollups. */
export interface Naming {
  readonly template: Template;
  /** Name of the network: that of its first rollup. */
  readonly rollupName: string;
  /** The EVM rollup came first, and the messenger was added. */
  readonly evmIsFirst?: boolean;
}

/** The name of the EVM rollup, which is the network's own unless the messenger has that. */
export function evmNameOf({ template, rollupName, evmIsFirst = false }: Naming): string {
  return template === 'evm' || evmIsFirst ? rollupName : SECOND_EVM_NAME;
}

export function messengerNameOf({ rollupName, evmIsFirst = false }: Naming): string {
  return evmIsFirst ? SECOND_MESSENGER_NAME : rollupName;
}

export const SECOND_EVM_NAME = 'evm';
const SECOND_MESSENGER_NAME = 'messenger';

/** Layers that the relayer posts to: none, the local layer, or a Celestia network of the instance's own. */
export const LAYERS = ['none', 'local', 'celestia'] as const;
export type Layer = (typeof LAYERS)[number];
