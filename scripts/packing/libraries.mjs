/** The packages that others import, in the order in which they depend on each other. Of the messenger, only the client and the table of its settings have entries. */
export const LIBRARIES = ['protocol', 'storage', 'machine', 'service', 'client', 'rollup', 'messenger'];
