/** The meanings of network errors, with the remedies. */
const untrusted = 'its certificate is not trusted'
const meanings: Record<string, string> = {
  ENOTFOUND: 'no address is known for this name: check the network connection and the name',
  EAI_AGAIN: 'its name can’t be looked up now: check the network connection',
  ECONNREFUSED: 'nothing answers at this port: check that the server runs, and the port',
  EHOSTUNREACH: 'there is no route to it: check the network connection',
  ENETUNREACH: 'there is no route to it: check the network connection',
  ETIMEDOUT: 'it did not answer in time: check the network connection',
  UND_ERR_CONNECT_TIMEOUT: 'it did not answer in time: check the network connection',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: untrusted,
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
}

/** Explains an error of a connection by its code or that of its cause; undefined for any other error. */
export function explainNetworkError(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  const { code } = error as Error & { code?: unknown }
  const meaning = typeof code === 'string' ? meanings[code] : undefined
  return meaning === undefined ? explainNetworkError(error.cause) : `${meaning} (${code})`
}
