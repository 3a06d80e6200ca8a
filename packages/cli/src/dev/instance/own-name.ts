/** The name under which we know a setting: in upper case, and with our prefix if the reference has its own. */
export function ownName(key: string): string {
  return key.toUpperCase().replace(/^ASTRIA_(?=SEQUENCER_|COMPOSER_|CONDUCTOR_)/, 'SVC_');
}
