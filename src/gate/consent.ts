/** How a member's consent was given, weakest first. @source product rulings §5 */
export const consentStrengths = ['agent_attested', 'chat', 'page'] as const
export type ConsentStrength = (typeof consentStrengths)[number]

/** The strengths that this version can obtain. A policy may not ask for more. */
export const obtainableStrengths: readonly ConsentStrength[] = ['agent_attested']

/** Whether consent of strength `given` meets the floor. Pure. */
export function meetsFloor(given: ConsentStrength, floor: ConsentStrength): boolean {
  return consentStrengths.indexOf(given) >= consentStrengths.indexOf(floor)
}
