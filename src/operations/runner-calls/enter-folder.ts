import { enteredFolder } from '../../gate/runner-calls/entered-folder.ts'
import type { ActingMember } from '../members/actor.ts'
import { type FilesWanted, type HookFiles, markOf, wantsText } from './bind-files.ts'
import { type JudgedCall, judgeCall } from './judge-call.ts'

/**
 * A call that needs consent only because it leaves the shell of the runner in another folder, judged as if it did not: once the
 * hook tells that this folder is no link and no repository. Pure.
 * @returns what the hook is to look at first; null: the call needs consent
 */
export function enterFolder(
  acting: ActingMember,
  { asked, rules }: JudgedCall,
  report: HookFiles,
): JudgedCall | FilesWanted | null {
  // A rule about a working folder would not see the calls that follow.
  const namesFolder = rules.rules.some(({ match }) => match && Object.hasOwn(match, '@cwd'))
  const { call } = asked
  const folder = report === null || namesFolder ? null : enteredFolder(call)
  if (!folder || report === null) return null
  const judged = judgeCall(acting, { ...asked, call: { ...call, ordinaryFolder: folder.path } })
  if (judged.verdict.decision !== 'allow') return null
  const { folders, missing } = folder
  if (report === 'able')
    return {
      wants: wantsText({
        folder: call.cwd,
        files: [...folders, ...missing].map((path) => ({ path, shownKib: 0 })),
      }),
    }
  const isSaid = (problem: string) => (path: string) => {
    const file = report.get(markOf(path))
    return file !== undefined && 'problem' in file && file.problem === problem
  }
  return folders.every(isSaid('no_file')) && missing.every(isSaid('missing')) ? judged : null
}
