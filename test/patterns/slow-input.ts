import { type Automaton, type Step, automataOf } from './pattern-automaton.ts'

/** A text whose cost grows faster than its length: what it begins with, and what is repeated. */
export interface SlowInput {
  prefix: string
  repeated: string
}

/**
 * Whether a pattern is linear in the length of the text, whichever text it is, and however it is used: one match anywhere in
 * the text, or all matches one after the other.
 *
 * The engine tries paths through the pattern one after the other. The cost is more than linear only if for some repeated word
 * two places can be held with it, and the second be reached from the first with it (then there are as many paths as there are
 * points at which to change over). The first place may be in front of the pattern, as an attempt starts anywhere. A second
 * place does no harm from which every text leads to a match: then nothing after it is read again.
 * @returns nothing if it is linear, else a text that may be slow
 * @throws {Error} if it cannot be told
 * @source Weber and Seidl 1991, On the degree of ambiguity of finite automata, criteria EDA and IDA
 */
export function slowInput(source: string, flags: string): SlowInput | undefined {
  for (const automaton of automataOf(source, flags)) {
    const slow = slowIn(automaton)
    if (slow) return slow
  }
  return undefined
}

function slowIn(automaton: Automaton): SlowInput | undefined {
  const { samples, places } = automaton
  const front = places.length
  const isSafe = safePlaces(automaton)
  const moves = remembered(automaton, (place, last, next) => movesFrom(automaton, place, last, next))
  const nexts = [
    ...places.map(({ steps }) => steps.map(({ to }) => to)),
    automaton.firsts.map(({ to }) => to),
  ]
  const reached = reachedFrom(nexts)
  const holds = remembered(automaton, (place, last, next) =>
    moves(place, last, next).filter(({ to }) => place === to || reached[to]!.has(place)),
  )
  const keeps = remembered(automaton, (place, last, next) =>
    holds(place, last, next).filter(({ to }) => !isSafe[next]![to]),
  )
  let pointsLeft = 50_000
  const inLoops = places.flatMap((_, place) => (reached[place]!.has(place) ? [place] : []))

  for (const second of inLoops) {
    const leads = remembered(automaton, (place, last, next) =>
      moves(place, last, next).filter(({ to }) => to === second || reached[to]!.has(second)),
    )
    for (const [atom] of samples.entries()) {
      if (!has(places[second]!.atoms, atom) || isSafe[atom]![second]) continue
      for (const first of [front, ...inLoops]) {
        if (!reached[first]!.has(second) || (first !== front && !has(places[first]!.atoms, atom))) continue
        const repeated = pumped(first, second, atom, leads)
        if (repeated !== undefined) return { prefix: wayTo(first, atom), repeated }
      }
    }
  }
  return undefined

  /** The word with which the first place is held, the second is reached from the first, and the second is held. */
  function pumped(first: number, second: number, atom: number, leads: Moves): string | undefined {
    // From a place to itself: by two ways that differ somewhere.
    const hasParted = first !== second
    const start = { held: first, between: first, kept: second, last: atom, hasParted, from: undefined }
    const points: Point[] = [start]
    const goal = markOf({ ...start, between: second, hasParted: true })
    const seen = new Set<number>()
    for (const point of points)
      for (const next of pointsAfter(point, leads)) {
        const mark = markOf(next)
        if (mark === goal) return wordTo(next)
        if (seen.has(mark)) continue
        seen.add(mark)
        points.push(next)
        if (--pointsLeft < 0) throw new Error('it is too large to tell')
      }
    return undefined
  }

  /** One character later. The first and the second place are held, and the way between them leads to the second. */
  function pointsAfter(from: Point, leads: Moves): Point[] {
    const points: Point[] = []
    for (let next = 0; next < samples.length; next++)
      for (const { to: kept, step } of keeps(from.kept, from.last, next))
        for (const { to: held } of holds(from.held, from.last, next))
          for (const two of leads(from.between, from.last, next)) {
            const hasParted = from.hasParted || two.step !== step
            points.push({ held, between: two.to, kept, last: next, hasParted, from })
          }
    return points
  }

  function markOf({ held, between, kept, last, hasParted }: Point): number {
    const width = front + 1
    return (((held * width + between) * width + kept) * samples.length + last) * 2 + Number(hasParted)
  }

  function wordTo(point: Point): string {
    let word = ''
    for (let at = point; at.from; at = at.from) word = samples[at.last]! + word
    return word
  }

  /** A text that leads to a place. */
  function wayTo(place: number, atom: number): string {
    if (place === front) return ''
    const edge = samples.length
    const seen = new Set<string>()
    const queue = [{ at: front, last: edge, word: '' }]
    for (const { at, last, word } of queue)
      for (const [next, sample] of samples.entries())
        for (const { to } of moves(at, last, next)) {
          if (to === place && next === atom) return word + sample
          const mark = `${to} ${next}`
          if (!seen.has(mark)) queue.push({ at: to, last: next, word: word + sample })
          seen.add(mark)
        }
    return ''
  }
}

interface Point {
  held: number
  between: number
  kept: number
  /** The last character. */
  last: number
  hasParted: boolean
  from: Point | undefined
}

const has = (atoms: bigint, atom: number): boolean => ((atoms >> BigInt(atom)) & 1n) === 1n

type Move = { to: number; step: Step | undefined }
/** The ways from a place, where the last character is of one atom and the next of another. */
type Moves = (place: number, last: number, next: number) => Move[]

/** Each is worked out once. */
function remembered({ samples }: Automaton, made: Moves): Moves {
  const known: Move[][][] = []
  return (place, last, next) =>
    ((known[place] ??= [])[last * samples.length + next] ??= made(place, last, next))
}

/** The place in front of the pattern is behind the last: there every character may be passed over. */
function movesFrom({ places, firsts }: Automaton, place: number, last: number, next: number): Move[] {
  const steps = places[place]?.steps ?? firsts
  const moves: Move[] = steps
    .filter(({ to, before, after }) => has(before, last) && has(after, next) && has(places[to]!.atoms, next))
    .map((step) => ({ to: step.to, step }))
  return place === places.length ? [...moves, { to: place, step: undefined }] : moves
}

/** @returns by atom and place: whether every further text leads to a match from there, that character being the last */
function safePlaces({ samples, places, ends }: Automaton): boolean[][] {
  const edge = samples.length
  const isSafe = samples.map((_, atom) => places.map(({ atoms, isAside }) => !isAside && has(atoms, atom)))
  const goesOn = (place: number, atom: number, next: number): boolean =>
    ends[place]!.some((gap) => gap.isSure && has(gap.before, atom) && has(gap.after, next)) ||
    (next !== edge &&
      places[place]!.steps.some(
        ({ to, before, after, isSure }) =>
          isSure && has(before, atom) && has(after, next) && isSafe[next]![to],
      ))
  for (let changed = true; changed;) {
    changed = false
    for (const [atom, safe] of isSafe.entries())
      for (const [place, was] of safe.entries()) {
        if (!was) continue
        const nexts = [...samples.keys(), edge]
        if (nexts.every((next) => goesOn(place, atom, next))) continue
        safe[place] = false
        changed = true
      }
  }
  return isSafe
}

/** @returns by place: those that can be reached from it */
function reachedFrom(nexts: number[][]): Set<number>[] {
  return nexts.map((ways) => {
    const reached = new Set(ways)
    for (const place of reached) for (const next of nexts[place]!) reached.add(next)
    return reached
  })
}
