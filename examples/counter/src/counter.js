import { action, defineRollup, fallback, query, Rejected, single, u64 } from '@switchyard/rollup';
/** The state: one row. Its name and type are part of every state root, so they are fixed once the chain runs. */
const total = single({ name: 'total', value: u64, absent: 0n });
/** A rollup that keeps one number, to which anybody may add. */
export const counter = defineRollup({
    name: 'counter',
    genesis: { start: fallback(u64, 0n) },
    tables: [total],
    initialState: (state, { start }) => total.put(state, start),
    actions: {
        add: action({
            fields: { amount: u64 },
            // Needs no state: also runs when a transaction is submitted.
            check({ amount }) {
                if (amount === 0n)
                    throw new Rejected('empty', { field: 'amount' });
            },
            // Rejects before it writes. A rejected transaction leaves no trace but its receipt.
            execute({ amount }, { state }) {
                const sum = total.get(state) + amount;
                if (sum >= 1n << 64n)
                    throw new Rejected('overflow', { field: 'total' });
                total.put(state, sum);
            },
        }),
    },
    queries: { total: query({ answer: { total: u64 }, handle: (_, { state }) => ({ total: total.get(state) }) }) },
});
//# sourceMappingURL=counter.js.map