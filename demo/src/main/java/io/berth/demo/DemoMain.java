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

/** {@code make demo}: the story by itself; exits with 0 only if all of it was as described. */
public final class DemoMain {
  private static final int NODES = 9;

  private DemoMain() {}

  public static void main(String[] arguments) throws Exception {
    LogSetup.use(LogFormat.TEXT);
    System.exit(run(System.out) ? 0 : 1);
  }

  /** Tells the story on a cluster of its own; whether all of it was as described. */
  static boolean run(PrintStream out) throws Exception {
    long start = System.nanoTime();
    Checkout checkout = Checkout.find();
    try (LocalCluster cluster = LocalCluster.start(0, NODES, KubeletOptions.lifelike());
        BerthInstallation berth =
            BerthInstallation.start(
                cluster.admin(), checkout, BerthOptions.local("make-demo").withHttp(0, true))) {
      out.printf(
          "An embedded cluster with %d nodes in the pools A, B and public, and Berth on it, after"
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
          held ? "All of it was as described" : "Not all of it was as described: see FAIL above",
          seconds(start));
      return held;
    }
  }

  private static double seconds(long since) {
    return Duration.ofNanos(System.nanoTime() - since).toMillis() / 1000.0;
  }
}
