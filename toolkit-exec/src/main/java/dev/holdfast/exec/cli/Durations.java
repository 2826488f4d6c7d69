package dev.holdfast.exec.cli;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Durations as one types them: {@code 500ms}, {@code 1.5s}, {@code 2m}, {@code 20}. */
final class Durations implements ITypeConverter<Duration> {
  private static final Pattern FORM = Pattern.compile("(\\d{1,18}(?:\\.\\d{1,9})?)(ms|s|m|h|d)?");
  private static final BigDecimal NANOS = BigDecimal.valueOf(1_000_000_000);

  /** A century: longer than any JVM runs, and far from what a long of nanoseconds can't hold. */
  private static final Duration LONGEST = Duration.ofDays(36_525);

  @Override
  public Duration convert(String value) {
    return parse(value);
  }

  static Duration parse(String value) {
    var match = FORM.matcher(value);
    if (!match.matches()) {
      throw new TypeConversionException(
          "'"
              + value
              + "' is not a duration; write a number with ms, s, m, h or d, such as 500ms or 2m"
              + " (a bare number is seconds)");
    }
    var nanos = new BigDecimal(match.group(1)).multiply(seconds(match.group(2))).multiply(NANOS);
    if (nanos.compareTo(BigDecimal.valueOf(LONGEST.toNanos())) > 0) {
      throw new TypeConversionException("'" + value + "' is longer than a century");
    }
    return Duration.ofNanos(nanos.longValue());
  }

  private static BigDecimal seconds(String unit) {
    return switch (unit) {
      case "ms" -> new BigDecimal("0.001");
      case "m" -> BigDecimal.valueOf(60);
      case "h" -> BigDecimal.valueOf(3_600);
      case "d" -> BigDecimal.valueOf(86_400);
      case null, default -> BigDecimal.ONE;
    };
  }
}
