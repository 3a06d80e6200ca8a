/** JSON text in which a bigint is a number while a number can hold it, and a string from there on. */
export function toJson(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) => {
    if (typeof each !== 'bigint') return each;
    const number = Number(each);
    return Number.isSafeInteger(number) ? number : String(each);
  });
}

/** Whether parsed JSON is nested deeper than `limit`. Does not recurse itself. */
export function isDeeperThan(value: unknown, limit: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    const inner: unknown[] = [];
    for (const each of level) {
      if (each !== null && typeof each === 'object') {
        if (depth >= limit) return true;
        for (const member of Object.values(each)) if (member !== null && typeof member === 'object') inner.push(member);
      }
    }
    level = inner;
  }
  return false;
}
