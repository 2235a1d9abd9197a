/**
 * Letters and digits of other scripts, and of Latin, that look like one of ASCII and that a domain can hold, by what they look like; small capitals, too.
 * @source Unicode Technical Standard #39, confusables.txt
 */
const looksLike: Record<string, string> = {
  '2': 'ƧϨᒿꙄꛯꝚ',
  '3': 'ƷȜЗӠⳌꝪꞫ𑣊𖼻',
  '4': 'Ꮞ𑢯',
  '5': '𑢻',
  '6': 'бᏮⳒ',
  '7': '𐓒',
  '8': 'ȣ৪੪𐌚',
  '9': '৭੧୨൭ⳊꝮ𑣌𑣖',
  a: 'ɑΑαАаᎪᗅꓮ𐊠𖽀ᴀ',
  b: 'ƄΒВЬᏏᏴᑲᖯᗷꓐꞴ𐊂𐊡𐌁ʙ',
  c: 'ϲСсᴄⲥꓚꮯ𐊢𐌂𐐽𐔜𑣩𑣲',
  d: 'ԁᎠᏧᑯᗞᗪꓒꓓᴅ',
  e: 'ΕЕеҽᎬⴹꓰꬲ𐊆𑢮𑣆ᴇ',
  f: 'Ϝքᖴẝꓝꞙꬵ𐊇𐊥𐔥𑣂ꜰ',
  g: 'ƍɡԌցᏀᏳᶃꓖɢ',
  h: 'ΗНҺһհᎻᏂᕼⲎꓧ𐋏ʜ',
  i: 'ıɩɪιІіιꙇꭵ',
  j: 'ϳЈјᎫᒍꓙꞲᴊ',
  k: 'ΚКᏦᛕⲔꓗ𐔘ᴋ',
  l: 'ǀӏ۱ᏞᒪᛁⲒⳐⵏꓡꓲ𐊊𐌉𐌠𐐛𐔦𑢲𑣃𖼖𖼨ʟ',
  m: 'ΜϺМᎷᗰᛖⲘꓟ𐊰𐌑ᴍ',
  n: 'ΝոռⲚꓠ𐔓ɴ',
  o: 'ΟοσОоօ۵०০੦૦ଠ୦௦౦೦ഠ൦๐໐ဝ၀ჿዐᴏᴑⲟⵔ〇ꓳꬽ𐊒𐊫𐐬𐓪𐔖𑓐𑣈𑣕𑣗𑣠',
  p: 'ΡρϱРрᏢᑭⲣꓑ𐊕ᴘ',
  q: 'Ԛԛգզⵕꞯ',
  r: 'ƦгᎡᏒᖇᴦⲅꓣꭇꭈꮁ𐒴𖼵ʀ',
  s: 'ƽЅѕՏᏕꓢꜱꮪ𐊖𐑈𑣁𖼺',
  t: 'ΤТᎢⲦꓔ𐊗𐊱𐌕𖼊ᴛ',
  u: 'ʋսሀᑌᴜꓴꞟꭎꭒ𐓶𑣘𖽂',
  v: 'νѴѵ۷ᐯᴠⴸꓦꛟꮩ𐔝𑜆𑣀𖼈',
  w: 'ɯѡԜԝաᏔᴡꓪꮃ𑜊𑜎𑜏𑣦𑣯',
  x: 'ΧХхᕁᕽᚷⲬⵝꓫꞳ𐊐𐊴𐌗𐌢𐔧𑣬',
  y: 'ɣʏγυϒуҮүყᎩᎽᶌỿℽⲨꓬꭚ𐊲𑣜𖽃ʏ',
  z: 'Ζᴢꓜꮓ𐋵𑢩𑣄𑣥',
}

/** The letter of ASCII that each looks like. */
export const asciiLookAlike: ReadonlyMap<string, string> = new Map(
  Object.entries(looksLike).flatMap(([ascii, letters]) =>
    Array.from(letters, (letter) => [letter, ascii] as const),
  ),
)
