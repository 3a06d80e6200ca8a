const MAX_LISTED = 200_000;

/** The pending transactions in an answer of `txpool_content`, those of each sender by nonce. Anything else in it is passed over. */
export function listedTransactions(content: unknown): readonly unknown[] {
  const listed: unknown[] = [];
  for (const [, byNonce] of entriesOf(entriesOf(content).find(([name]) => name === 'pending')?.[1])) {
    const ordered = entriesOf(byNonce)
      .filter(([nonce]) => /^\d{1,20}$/.test(nonce))
      .map(([nonce, object]) => ({ nonce: BigInt(nonce), object }))
      .sort((a, b) => (a.nonce < b.nonce ? -1 : 1));
    for (const { object } of ordered) {
      if (listed.length >= MAX_LISTED) return listed;
      listed.push(object);
    }
  }
  return listed;
}

function entriesOf(value: unknown): [string, unknown][] {
  return typeof value === 'object' && value !== null ? Object.entries(value) : [];
}
