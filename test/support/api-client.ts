export interface ApiAnswer {
  status: number
  headers: Headers
  // Tests look into answers of every shape.
  body: any
}

export interface ApiClient {
  url: string
  key: string
  request(
    method: string,
    path: string,
    options?: { body?: unknown; headers?: Record<string, string> },
  ): Promise<ApiAnswer>
  capability(query: Record<string, string>): Promise<ApiAnswer>
  propose(actor: unknown, message: string, key?: string): Promise<ApiAnswer>
  get(id: number): Promise<ApiAnswer>
  list(query?: Record<string, string>): Promise<ApiAnswer>
  confirm(id: number, actor: unknown, options?: { key?: string; digest?: string }): Promise<ApiAnswer>
  cancel(id: number, actor: unknown, key?: string): Promise<ApiAnswer>
}

/**
 * Speaks to the API as an agent would, over its real port.
 * @param patienceMs  how long a request waits for its answer; absent: for ever
 */
export function apiClient(url: string, key: string, patienceMs?: number): ApiClient {
  const request: ApiClient['request'] = async (method, path, { body, headers = {} } = {}) => {
    const response = await fetch(`${url}${path}`, {
      method,
      ...(patienceMs === undefined ? {} : { signal: AbortSignal.timeout(patienceMs) }),
      headers: {
        authorization: `Bearer ${key}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.startsWith('application/json')
    return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text }
  }
  const keyed = (idempotencyKey: string | undefined) =>
    idempotencyKey === undefined ? {} : { headers: { 'idempotency-key': idempotencyKey } }
  return {
    url,
    key,
    request,
    capability: (query) => request('GET', `/api/v1/capability?${new URLSearchParams(query)}`),
    propose: (actor, message, idempotencyKey) =>
      request('POST', '/api/v1/actions', {
        body: { kind: 'broadcast', actor, payload: { message } },
        ...keyed(idempotencyKey),
      }),
    get: (id) => request('GET', `/api/v1/actions/${id}`),
    list: (query = {}) => request('GET', `/api/v1/actions?${new URLSearchParams(query)}`),
    confirm: (id, actor, options = {}) =>
      request('POST', `/api/v1/actions/${id}/confirm`, {
        body: { actor, ...(options.digest === undefined ? {} : { digest: options.digest }) },
        ...keyed(options.key),
      }),
    cancel: (id, actor, idempotencyKey) =>
      request('POST', `/api/v1/actions/${id}/cancel`, { body: { actor }, ...keyed(idempotencyKey) }),
  }
}
