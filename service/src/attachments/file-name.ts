/** The list of the SES Developer Guide, "Unsupported attachment types": SES refuses a mail with one of them. */
const blockedExtensions = new Set(
  (
    "ade adp app asp bas bat cer chm cmd com cpl crt csh der exe fxp gadget hlp hta inf ins isp its js jse ksh lib lnk mad maf mag mam maq " +
    "mar mas mat mau mav maw mda mdb mde mdt mdw mdz msc msh msh1 msh1xml msh2 msh2xml mshxml msi msp mst ops pcd pif plg prf prg ps1 " +
    "ps1xml ps2 ps2xml psc1 psc2 reg scf scr sct shb shs sys tmp url vb vbe vbs vps vsmacros vss vst vsw vxd ws wsc wsf wsh xnk"
  ).split(" "),
);

const maxCharacters = 255;
/** They can make `photo_gpj.exe` look like `photo_exe.jpg`. */
const directionCharacter = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;
const invisibleCharacter = /[\p{Cc}\p{Zl}\p{Zp}\ufeff]/u;

/** Undefined: the name may be that of an attachment. */
export function fileNameProblem(name: string): string | undefined {
  if (name.trim() === "") return "must not be empty";
  if ([...name].length > maxCharacters) return `must have at most ${maxCharacters} characters`;
  if (!name.isWellFormed()) return "is not valid Unicode";
  if (/[/\\]/.test(name)) return "must be a name without a path: it contains / or \\";
  if (invisibleCharacter.test(name)) return "contains a line break or another control character; remove it";
  if (directionCharacter.test(name)) return "contains a character that changes the direction of text; remove it";
  if (/^\.+$/.test(name)) return "must have more than dots";
  const extension = extensionOf(name);
  if (blockedExtensions.has(extension))
    return `ends with .${extension}, which Amazon SES refuses; put the file into an archive or change its type`;
  return undefined;
}

/** Windows ignores dots and spaces at the end of a name, so `a.exe.` counts as `a.exe`. */
function extensionOf(name: string): string {
  const trimmed = name.replace(/[. ]+$/, "");
  const dot = trimmed.lastIndexOf(".");
  return dot === -1 ? "" : trimmed.slice(dot + 1).toLowerCase();
}
