import type { Interval } from './objects.ts'

/** Customers, products and payments of the demo: each amount band and each payment status occurs. */

export const demoCustomers = [
  { id: 'cus_SandboxAcme', name: 'Acme Tools' },
  { id: 'cus_SandboxBolt', name: 'Bolt Bikes' },
  { id: 'cus_SandboxCove', name: 'Cove Coffee' },
  { id: 'cus_SandboxDune', name: 'Dune Travel' },
  { id: 'cus_SandboxElm', name: 'Elm Furniture' },
  { id: 'cus_SandboxFern', name: 'Fern Florists' },
]

export const demoProducts = [
  { id: 'prod_SandboxKit', name: 'Starter kit' },
  { id: 'prod_SandboxPlan', name: 'Team plan' },
]

interface DemoPrice {
  id: string
  product: string
  active: boolean
  /** In cents, US dollars. */
  unit_amount: number
  interval?: Interval
}

export const demoPrices: DemoPrice[] = [
  { id: 'price_SandboxKit', product: 'prod_SandboxKit', active: true, unit_amount: 4_900 },
  {
    id: 'price_SandboxPlan',
    product: 'prod_SandboxPlan',
    active: true,
    unit_amount: 2_900,
    interval: 'month',
  },
  // Negotiated with one customer and no longer for sale.
  {
    id: 'price_SandboxFleet',
    product: 'prod_SandboxPlan',
    active: false,
    unit_amount: 90_000,
    interval: 'month',
  },
]

interface DemoSubscription {
  id: string
  customer: string
  price: string
  sinceDays: number
  cancelledDays?: number
}

export const demoSubscriptions: DemoSubscription[] = [
  {
    id: 'sub_SandboxEnded',
    customer: 'cus_SandboxDune',
    price: 'price_SandboxPlan',
    sinceDays: 100,
    cancelledDays: 12,
  },
  { id: 'sub_SandboxLarge', customer: 'cus_SandboxAcme', price: 'price_SandboxFleet', sinceDays: 21 },
  { id: 'sub_SandboxSmall', customer: 'cus_SandboxBolt', price: 'price_SandboxPlan', sinceDays: 5 },
]

interface DemoPayment {
  /** Used after `pi_`, `ch_` and, for a refund, `re_`. */
  name: string
  customer: string
  /** In cents; US dollars by default. */
  amount: number
  currency?: string
  description: string
  daysAgo: number
  isDeclined?: boolean
  refund?: { amount: number; daysAgo: number }
}

/** Oldest first. */
export const demoPayments: DemoPayment[] = [
  {
    name: 'Sandbox01',
    customer: 'cus_SandboxAcme',
    amount: 2_400_000,
    description: 'Tools, yearly order',
    daysAgo: 40,
  },
  {
    name: 'Sandbox02',
    customer: 'cus_SandboxDune',
    amount: 125_000,
    description: 'Group tour, cancelled',
    daysAgo: 33,
    refund: { amount: 125_000, daysAgo: 30 },
  },
  {
    name: 'Sandbox03',
    customer: 'cus_SandboxElm',
    amount: 48_000,
    currency: 'eur',
    description: 'Two chairs',
    daysAgo: 27,
  },
  {
    name: 'Sandbox04',
    customer: 'cus_SandboxCove',
    amount: 8_900,
    description: 'Coffee, 3 bags',
    daysAgo: 20,
    refund: { amount: 3_000, daysAgo: 18 },
  },
  {
    name: 'Sandbox05',
    customer: 'cus_SandboxAcme',
    amount: 90_000,
    description: 'Team plan, fleet',
    daysAgo: 14,
  },
  { name: 'Sandbox06', customer: 'cus_SandboxElm', amount: 540_000, description: 'Office desks', daysAgo: 9 },
  {
    name: 'Sandbox07',
    customer: 'cus_SandboxBolt',
    amount: 2_900,
    description: 'Team plan',
    daysAgo: 5,
  },
  {
    name: 'Sandbox08',
    customer: 'cus_SandboxFern',
    amount: 32_000,
    description: 'Flowers, declined',
    daysAgo: 2,
    isDeclined: true,
  },
  { name: 'Sandbox09', customer: 'cus_SandboxCove', amount: 4_900, description: 'Starter kit', daysAgo: 0.8 },
  { name: 'Sandbox10', customer: 'cus_SandboxBolt', amount: 1_200, description: 'Spare chain', daysAgo: 0.1 },
]
