/** The library keeps the names of tables with a zero at the end. */
export const tableKey = (name: string): Buffer => Buffer.from(`${name}\0`);

export function tableName(key: Buffer): string {
  return key.toString('utf8', 0, key.at(-1) === 0 ? key.length - 1 : key.length);
}
