package io.berth.demo;

import io.berth.demo.cluster.BerthInstallation;
import io.berth.demo.cluster.Checkout;
import io.berth.demo.cluster.LocalCluster;
import io.berth.demo.story.PoolStory;
import io.berth.operator.BerthOptions;
import io.berth.operator.command.LogFormat;
import io.berth.operator.command.LogSetup;
import io.berth.sandbox.kubelet.KubeletOptions;
import java.io.PrintStream;
import java.time.Duration;

/**
 * {@code make demo}: runs the story on an embedded cluster. Exits with 0 only if every check
 * passed.
 */
public final class DemoMain {
  private static final int NODES = 9;

  private DemoMain() {}

  public static void main(String[] arguments) throws Exception {
    LogSetup.use(LogFormat.TEXT);
    System.exit(run(System.out) ? 0 : 1);
  }

  /** Runs the story on a new cluster and returns whether every check passed. */
  static boolean run(PrintStream out) throws Exception {
    long start = System.nanoTime();
    Checkout checkout = Checkout.find();
    try (LocalCluster cluster = LocalCluster.start(0, NODES, KubeletOptions.lifelike());
        BerthInstallation berth =
            BerthInstallation.start(
                cluster.admin(), checkout, BerthOptions.local("make-demo").withHttp(0, true))) {
      out.printf(
          "Started Berth on an embedded cluster with %d nodes in the pools A, B, and public, after"
              + " %.1f s%n",
          NODES, seconds(start));
      boolean held =
          new PoolStory(
                  cluster.admin(),
                  "default",
                  true,
                  checkout,
                  berth::explain,
                  chapter -> out.print(chapter.text()))
              .tell();
      out.printf(
          "%n%s, after %.1f s%n",
          held ? "All checks passed" : "Some checks failed: see FAIL above", seconds(start));
      return held;
    }
  }

  private static double seconds(long since) {
    return Duration.ofNanos(System.nanoTime() - since).toMillis() / 1000.0;
  }
}
