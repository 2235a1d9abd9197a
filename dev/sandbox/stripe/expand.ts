import { invalidRequest } from './errors.ts'

/** Fields that hold an id and can be expanded to the object. */
const references = new Set(['charge', 'customer', 'latest_charge', 'payment_intent', 'product'])
/** Fields by type that are left out unless they are expanded. */
const included: Record<string, string> = { 'checkout.session': 'line_items' }

type Fields = Record<string, unknown>

/**
 * Prepares an answer: expands the requested fields and leaves out the fields that Stripe leaves out.
 * @param paths  `latest_charge`, `data.latest_charge`
 * @param find  an object by its id
 * @throws StripeRefusal for a field that cannot be expanded
 */
export function expandAnswer(
  body: object,
  paths: string[],
  find: (id: string) => object | undefined,
): object {
  const steps = paths.map((path) => path.split('.'))
  return shown(body as Fields, steps)

  function shown(object: Fields, wanted: string[][]): Fields {
    const entries = Object.entries(withoutHidden(object, wanted)).map(([field, value]) => {
      const further = wanted.filter(([first]) => first === field).map(([, ...rest]) => rest)
      return [field, further.length === 0 ? plain(value) : given(field, value, further)]
    })
    for (const [field = ''] of wanted) if (!(field in object)) throw notExpandable(field)
    return Object.fromEntries(entries)
  }

  function given(field: string, value: unknown, further: string[][]): unknown {
    const deeper = further.filter((path) => path.length > 0)
    if (Array.isArray(value)) return value.map((element) => shown(element as Fields, deeper))
    if (value !== null && typeof value === 'object') return shown(value as Fields, deeper)
    if (value === null) return null
    const object = references.has(field) ? find(String(value)) : undefined
    if (!object) throw notExpandable(field)
    return shown(object as Fields, deeper)
  }

  /** Objects inside an answer leave out the same fields as the answer. */
  function plain(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(plain)
    return isStripeObject(value) ? shown(value, []) : value
  }
}

function withoutHidden(object: Fields, wanted: string[][]): Fields {
  const hidden = included[String(object['object'])]
  if (hidden === undefined || wanted.some(([first]) => first === hidden)) return object
  const { [hidden]: _, ...rest } = object
  return rest
}

const isStripeObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && 'object' in value

function notExpandable(field: string) {
  return invalidRequest(`This property cannot be expanded (${field}).`, { param: 'expand' })
}
