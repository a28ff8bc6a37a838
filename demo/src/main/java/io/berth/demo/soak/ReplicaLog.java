package io.berth.demo.soak;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.regex.Pattern;

/**
 * The log of a replica, of which each error and each stack trace is a violation. The exit of a
 * replica that has lost the Lease is none if it had a fault, and neither is the stack trace of an
 * event loop that got no CPU.
 */
final class ReplicaLog {
  private static final Pattern ERROR = Pattern.compile("^[0-9:.]+ ERROR .*");
  private static final Pattern TRACE =
      Pattern.compile("^\\s+at \\S+\\(.*\\)$|^Caused by: .*|^Exception in thread .*");

  /** The line before the stack trace of an event loop that got no CPU. */
  private static final String BLOCKED = ".*VertxException: Thread blocked.*";

  private static final Pattern LEASE_LOST =
      Pattern.compile("^[0-9:.]+ ERROR Stop .* the Lease was lost, .*");
  private static final Pattern NUMBERS = Pattern.compile("[0-9]+");

  private final Path file;
  private final BooleanSupplier disturbed;
  private final Findings findings;
  private final Set<String> known = new HashSet<>();
  private long position;
  private long lines;
  private String last = "";
  private boolean inTrace;
  private int exits;

  /**
   * @param disturbed returns whether the replica had a fault in the last time
   */
  ReplicaLog(Path file, BooleanSupplier disturbed, Findings findings) {
    this.file = file;
    this.disturbed = disturbed;
    this.findings = findings;
  }

  /** Reads what was written since the last call. */
  void read() throws IOException {
    if (!Files.exists(file)) {
      return;
    }
    byte[] written;
    try (RandomAccessFile in = new RandomAccessFile(file.toFile(), "r")) {
      written = new byte[Math.toIntExact(in.length() - position)];
      in.seek(position);
      in.readFully(written);
    }
    int end = lastLineEnd(written);
    position += end;
    new String(written, 0, end, StandardCharsets.UTF_8).lines().forEach(this::judge);
  }

  private static int lastLineEnd(byte[] written) {
    int end = written.length;
    while (end > 0 && written[end - 1] != '\n') {
      end--;
    }
    return end;
  }

  /** The number of exits after a fault. */
  int exits() {
    return exits;
  }

  private void judge(String line) {
    lines++;
    boolean trace = TRACE.matcher(line).matches();
    if (LEASE_LOST.matcher(line).matches() && disturbed.getAsBoolean()) {
      exits++;
    } else if (ERROR.matcher(line).matches()) {
      report("an error", line);
    } else if (trace && !inTrace && !(last.matches(BLOCKED) && disturbed.getAsBoolean())) {
      report("a stack trace", last);
    }
    inTrace = trace;
    last = line;
  }

  /** Reports a line, but not another one that differs in numbers only. */
  private void report(String what, String line) {
    if (known.add(NUMBERS.matcher(line.replaceFirst("^[0-9:.]+ ", "")).replaceAll("0"))) {
      findings.add("%s in %s, line %d: %s".formatted(what, file.getFileName(), lines, line));
    }
  }
}
