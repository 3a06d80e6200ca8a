import { schema } from '@switchyard/service/api';

/** Something that a search found. */
export const foundSchema = schema.object(
  {
    kind: schema.words(
      'What it is',
      ...([
        'block',
        'transaction',
        'account',
        'rollup',
        'rollup-block',
        'rollup-transaction',
        'rollup-account',
      ] as const),
      ...(['evm-transaction', 'evm-address', 'token'] as const),
    ),
    label: schema.text('For people'),
    path: schema.text('Below `/v1` and, without that, of the page'),
  },
  { name: 'Found' },
);

export type Found = schema.TypeOf<typeof foundSchema>;
