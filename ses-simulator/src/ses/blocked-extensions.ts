/** The list of the SES Developer Guide, "Amazon SES unsupported attachment types". */
const blockedExtensions = new Set(
  `ade adp app asp bas bat cer chm cmd com cpl crt csh der exe fxp gadget hlp hta inf ins isp its js jse ksh lib lnk mad maf mag mam maq mar
  mas mat mau mav maw mda mdb mde mdt mdw mdz msc msh msh1 msh1xml msh2 msh2xml mshxml msi msp mst ops pcd pif plg prf prg ps1 ps1xml ps2
  ps2xml psc1 psc2 reg scf scr sct shb shs sys tmp url vb vbe vbs vps vsmacros vss vst vsw vxd ws wsc wsf wsh xnk`.split(
    /\s+/,
  ),
);

/** Windows ignores dots and spaces at the end of a name, so `a.exe.` is blocked too. */
export function hasBlockedExtension(fileName: string): boolean {
  const trimmed = fileName.replace(/[. ]+$/, "");
  const dot = trimmed.lastIndexOf(".");
  return dot !== -1 && blockedExtensions.has(trimmed.slice(dot + 1).toLowerCase());
}
