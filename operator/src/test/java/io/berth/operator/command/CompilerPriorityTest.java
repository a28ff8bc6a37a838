package io.berth.operator.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

class CompilerPriorityTest {

  private final List<String> calls = new ArrayList<>();

  @Test
  void secondCompiler_isTheOnlyThreadLowered(@TempDir Path threads) throws Throwable {
    thread(threads, "11", "main");
    thread(threads, "12", "C1 CompilerThre");
    thread(threads, "13", "C2 CompilerThre");
    thread(threads, "14", "C2 CompilerThre");
    Files.createDirectory(threads.resolve("15")); // a thread that has just ended

    int lowered =
        CompilerPriority.lower(
            threads,
            MethodHandles.lookup()
                .bind(
                    this,
                    "record",
                    MethodType.methodType(int.class, int.class, int.class, int.class)));

    assertThat(lowered).isEqualTo(2);
    assertThat(calls).containsExactlyInAnyOrder("0 13 15", "0 14 15");
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void thread_getsTheNiceValueFromTheSystem(@TempDir Path threads) throws Throwable {
    List<Long> values = new ArrayList<>();
    Thread own =
        Thread.ofPlatform()
            .start(
                () -> {
                  try {
                    Path self = Path.of("/proc/thread-self").toRealPath();
                    thread(threads, self.getFileName().toString(), "C2 CompilerThre");
                    CompilerPriority.lower(threads, CompilerPriority.setPriority());
                    values.add(nice(self));
                  } catch (Throwable e) {
                    throw new IllegalStateException(e);
                  }
                });
    own.join();

    assertThat(values).containsExactly((long) CompilerPriority.NICE);
    assertThat(nice(Path.of("/proc/thread-self").toRealPath())).isLessThan(CompilerPriority.NICE);
  }

  int record(int which, int who, int value) {
    calls.add("%d %d %d".formatted(which, who, value));
    return 0;
  }

  private static void thread(Path threads, String id, String name) throws Exception {
    Path directory = Files.createDirectory(threads.resolve(id));
    Files.writeString(directory.resolve("comm"), name + "\n");
  }

  /** The nice value in field 19 of proc_pid_stat(5); fields 1 and 2 end with a parenthesis. */
  private static long nice(Path thread) throws Exception {
    String stat = Files.readString(thread.resolve("stat"));
    String[] after = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
    return Long.parseLong(after[16]);
  }
}
