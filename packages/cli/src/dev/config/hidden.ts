/** Whether a setting holds something that must not be shown. The path of a key file is no secret. */
export function isSecret(name: string): boolean {
  if (/_(FILE|FILEPATH|PATH|DIR|DIRECTORY|URL|ADDR|ADDRESS)$/i.test(name)) return false;
  return /(^|_)(PRIVATE_?KEY|PRIV_?KEY|SECRET|SECRETS|TOKEN|PASSWORD|PASSWD|PASSPHRASE|MNEMONIC|SEED|CREDENTIALS?|API_?KEY|SIGNING_?KEY|OTLP_HEADERS|TRACE_HEADERS)($|_)/i.test(
    name,
  );
}

/** A value as it may be shown. */
export function hidden(name: string, value: string): string {
  return isSecret(name) ? '[hidden]' : withoutPassword(value);
}

/** A URL without the credentials in it. */
export function withoutPassword(value: string): string {
  return value.replace(/(\w:\/\/)[^/@\s]+@/g, '$1[hidden]@');
}
