/** Funded in every development network. Everybody has these keys; they must never hold anything of value. */
export const developmentKeys = [
  {
    name: 'alice',
    address: 'astria1rsxyjrcm255ds9euthjx6yc3vrjt9sxrm9cfgm',
    key: '2bd806c97f0e00af1a1fc3328fa763a9269723c8db8fac4f93af71db186d6e90',
  },
  {
    name: 'bob',
    address: 'astria1yf56efahcq786pe5t7paknat40g6q4tsvqtql2',
    key: 'b70fd3b99cab2d98dbd73602deb026b9cdc9bb7b85d35f0bbb81b17c78923dd0',
  },
] as const;
