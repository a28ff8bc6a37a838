package io.berth.engine.plugins;

import static io.berth.engine.fixtures.Nodes.node;
import static io.berth.engine.fixtures.Pods.pod;
import static io.berth.engine.plugins.PluginTable.PASSES;

import io.berth.engine.fixtures.Pods;
import io.berth.engine.framework.Verdict;
import io.berth.engine.model.TaintEffect;
import io.berth.engine.model.Toleration;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

class TaintTolerationTest {
  private static final TaintEffect NO_SCHEDULE = TaintEffect.NO_SCHEDULE;
  private static final TaintEffect PREFER = TaintEffect.PREFER_NO_SCHEDULE;
  private static final Optional<Verdict> UNTOLERATED =
      Optional.of(Verdict.unresolvable("node(s) had untolerated taint(s)"));

  private static Toleration equal(String key, String value, TaintEffect effect) {
    return new Toleration(key, false, value, Optional.of(effect));
  }

  private static Toleration exists(String key, TaintEffect effect) {
    return new Toleration(key, true, "", Optional.of(effect));
  }

  private static Pods tolerating(Toleration... tolerations) {
    Pods pod = pod("p");
    for (Toleration toleration : tolerations) {
      pod.toleration(toleration);
    }
    return pod;
  }

  @TestFactory
  Stream<DynamicTest> verdicts() {
    return PluginTable.ofFilter(new TaintToleration())
        .row("a pod without tolerations goes to no tainted node", pod("p"))
        .node(node("free"), PASSES)
        .node(node("taken").taint("dedicated", "user1", NO_SCHEDULE), UNTOLERATED)
        .row(
            "a toleration with the taint's value lets it in",
            tolerating(equal("dedicated", "user1", NO_SCHEDULE)))
        .node(node("own").taint("dedicated", "user1", NO_SCHEDULE), PASSES)
        .node(node("others").taint("dedicated", "user2", NO_SCHEDULE), UNTOLERATED)
        .row("one for any value lets it in", tolerating(exists("foo", NO_SCHEDULE)))
        .node(node("n").taint("foo", "bar", NO_SCHEDULE), PASSES)
        .row("every taint needs a toleration", tolerating(exists("foo", NO_SCHEDULE)))
        .node(node("n").taint("foo", "bar", NO_SCHEDULE).taint("x", "y", NO_SCHEDULE), UNTOLERATED)
        .row(
            "a toleration of another effect does not count",
            tolerating(equal("foo", "bar", PREFER)))
        .node(node("n").taint("foo", "bar", NO_SCHEDULE), UNTOLERATED)
        .row(
            "a toleration without effect is for all of them",
            tolerating(new Toleration("foo", false, "bar", Optional.empty())))
        .node(node("n").taint("foo", "bar", NO_SCHEDULE), PASSES)
        .node(node("m").taint("foo", "bar", TaintEffect.NO_EXECUTE), PASSES)
        .row("taints that only prefer keep nobody off", pod("p"))
        .node(node("n").taint("dedicated", "user1", PREFER), PASSES)
        .row("taints that evict keep pods off", pod("p"))
        .node(node("n").taint("dedicated", "user1", TaintEffect.NO_EXECUTE), UNTOLERATED)
        .tests();
  }

  @TestFactory
  Stream<DynamicTest> scores() {
    return PluginTable.ofScore(new TaintToleration())
        .row("a tolerated taint is better than another", tolerating(equal("foo", "bar", PREFER)))
        .node(node("a").taint("foo", "bar", PREFER), 100)
        .node(node("b").taint("foo", "blah", PREFER), 0)
        .row(
            "how many are tolerated does not matter",
            tolerating(equal("cpu-type", "arm64", PREFER), equal("disk-type", "ssd", PREFER)))
        .node(node("a"), 100)
        .node(node("b").taint("cpu-type", "arm64", PREFER), 100)
        .node(node("c").taint("cpu-type", "arm64", PREFER).taint("disk-type", "ssd", PREFER), 100)
        .row("the more that are not tolerated, the worse", tolerating(equal("foo", "bar", PREFER)))
        .node(node("a"), 100)
        .node(node("b").taint("cpu-type", "arm64", PREFER), 50)
        .node(node("c").taint("cpu-type", "arm64", PREFER).taint("disk-type", "ssd", PREFER), 0)
        .row(
            "taints and tolerations of other effects do not count",
            tolerating(
                equal("cpu-type", "arm64", NO_SCHEDULE), equal("disk-type", "ssd", NO_SCHEDULE)))
        .node(node("a"), 100)
        .node(node("b").taint("cpu-type", "arm64", NO_SCHEDULE), 100)
        .node(node("c").taint("cpu-type", "arm64", PREFER).taint("disk-type", "ssd", PREFER), 0)
        .row("without tolerations a node without taints is best", pod("p"))
        .node(node("a"), 100)
        .node(node("b").taint("cpu-type", "arm64", PREFER), 0)
        .tests();
  }
}
