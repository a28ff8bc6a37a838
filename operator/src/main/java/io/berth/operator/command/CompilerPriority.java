package io.berth.operator.command;

import java.io.IOException;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.slf4j.LoggerFactory;

/**
 * The priority of the JVM's second compiler, C2, relative to the other threads of the process.
 *
 * <p>C2 optimizes code that the first compiler has already compiled. A JVM that has just started
 * has so much of this work that C2 takes an equal share of the processors for 10 s or more, while
 * pods wait. With a lower priority, C2 uses the time that other threads leave. Linux assigns
 * priorities to threads; on other systems, where {@code setpriority} concerns the whole process,
 * nothing is changed.
 */
public final class CompilerPriority {

  /**
   * The nice value of C2, where 0 is the default and 19 is the lowest priority. On a processor that
   * is never idle, C2 still gets 36 / (36 + 1024) = 3.4 % beside one other thread (the weights of
   * nice 15 and nice 0 in Linux's {@code sched_prio_to_weight}).
   */
  static final int NICE = 15;

  private static final Path THREADS = Path.of("/proc/self/task");
  private static final String C2 = "C2 CompilerThre";
  private static final int PRIO_PROCESS = 0;

  private CompilerPriority() {}

  /** Lowers the priority of C2, on a thread of its own. If this fails, it is logged at DEBUG. */
  public static void lower() {
    if (Files.isDirectory(THREADS)) {
      Thread.ofPlatform().name("compiler-priority").daemon().start(CompilerPriority::lowerOrLog);
    }
  }

  private static void lowerOrLog() {
    try {
      lower(THREADS, setPriority());
    } catch (Throwable failure) { // method handles declare it
      LoggerFactory.getLogger(CompilerPriority.class)
          .debug("The priority of the JVM's second compiler was not changed", failure);
    }
  }

  /**
   * Lowers the priority of each C2 thread.
   *
   * @param threads the directory of the process's threads, as in {@code /proc/self/task}
   * @param change the function {@code setpriority} of the C library
   * @return the number of threads whose priority was lowered
   * @throws IOException when the threads cannot be listed
   */
  static int lower(Path threads, MethodHandle change) throws Throwable {
    int lowered = 0;
    try (DirectoryStream<Path> each = Files.newDirectoryStream(threads)) {
      for (Path thread : each) {
        if (isC2(thread)) {
          int id = Integer.parseInt(thread.getFileName().toString());
          int result = (int) change.invokeExact(PRIO_PROCESS, id, NICE);
          lowered += result == 0 ? 1 : 0;
        }
      }
    } catch (DirectoryIteratorException e) {
      throw e.getCause();
    }
    return lowered;
  }

  private static boolean isC2(Path thread) {
    try {
      return Files.readString(thread.resolve("comm")).startsWith(C2);
    } catch (IOException e) {
      return false; // the thread has ended
    }
  }

  @SuppressWarnings("restricted") // native access is enabled in the manifest
  static MethodHandle setPriority() {
    Linker linker = Linker.nativeLinker();
    return linker.downcallHandle(
        linker.defaultLookup().findOrThrow("setpriority"),
        FunctionDescriptor.of(
            ValueLayout.JAVA_INT,
            ValueLayout.JAVA_INT,
            ValueLayout.JAVA_INT,
            ValueLayout.JAVA_INT));
  }
}
