package io.berth.demo.load;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;

/** The CPU time and memory of a process with its descendants. */
final class ProcessCost {
  private final ProcessHandle process;

  ProcessCost(ProcessHandle process) {
    this.process = process;
  }

  /** Returns the CPU time, in user and system mode; empty if the system does not tell. */
  Optional<Duration> cpu() {
    return all().flatMap(each -> each.info().totalCpuDuration().stream()).reduce(Duration::plus);
  }

  /** Returns the largest resident memory so far, in bytes; empty on systems other than Linux. */
  OptionalLong peakBytes() throws IOException {
    long sum = 0;
    for (ProcessHandle each : all().toList()) {
      sum += peakBytes(Path.of("/proc", Long.toString(each.pid()), "status"));
    }
    return sum == 0 ? OptionalLong.empty() : OptionalLong.of(sum);
  }

  private static long peakBytes(Path status) throws IOException {
    try (Stream<String> lines = Files.lines(status)) {
      return lines
          .filter(line -> line.startsWith("VmHWM:"))
          .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")) << 10)
          .sum();
    } catch (NoSuchFileException gone) {
      return 0; // it has ended, or the system has no such files
    }
  }

  private Stream<ProcessHandle> all() {
    return Stream.concat(Stream.of(process), process.descendants());
  }
}
