package dev.holdfast.exec.identity;

import java.util.regex.Pattern;

/** Whether {@code /proc} is mounted so that it hides processes of others (proc(5), hidepid). */
final class HiddenProc {
  private static final Pattern HIDING = Pattern.compile("\\bhidepid=(?!0\\b|off\\b)");
  private static final Pattern CAPABILITIES = Pattern.compile("CapEff:\\s*([0-9a-f]+)");
  private static final long CAP_SYS_PTRACE = 1L << 19;

  private HiddenProc() {}

  private static final class Answer {
    static final boolean HIDDEN =
        isHidden(ProcFile.line("/proc/self/mountinfo"), ProcFile.line("/proc/self/status"));
  }

  static boolean isHidden() {
    return Answer.HIDDEN;
  }

  static boolean isHidden(String mountInfo, String status) {
    var hiding = false;
    for (var mount : mountInfo.lines().toList()) {
      var fields = mount.split(" ", 6);
      if (fields.length > 4 && fields[4].equals("/proc")) {
        hiding = HIDING.matcher(mount).find();
      }
    }
    return hiding && !mayTrace(status);
  }

  private static boolean mayTrace(String status) {
    var matcher = CAPABILITIES.matcher(status);
    return matcher.find() && (Long.parseUnsignedLong(matcher.group(1), 16) & CAP_SYS_PTRACE) != 0;
  }
}
