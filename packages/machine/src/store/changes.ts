/** Stands for "deleted" in a map of changes. Compared by identity, so an empty value is still a value. */
export const DELETED: Uint8Array = new Uint8Array(0);

/** Changed keys with their new values or {@link DELETED}. */
export type Changes = ReadonlyMap<string, Uint8Array>;
