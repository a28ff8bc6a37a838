package io.berth.engine.plugins;

import static io.berth.engine.fixtures.Nodes.node;
import static io.berth.engine.plugins.PluginTable.PASSES;

import io.berth.engine.fixtures.Pods;
import io.berth.engine.framework.Verdict;
import io.berth.engine.model.HostPort;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

class NodePortsTest {
  private static final Optional<Verdict> TAKEN =
      Optional.of(
          Verdict.unschedulable("node(s) didn't have free ports for the requested pod ports"));

  /** Returns a pod with ports in the form {@code TCP/127.0.0.1/8080}. */
  private static Pods pod(String... ports) {
    Pods pod = Pods.pod("p");
    for (String port : ports) {
      String[] parts = port.split("/");
      pod.port(new HostPort(parts[1], parts[0], Integer.parseInt(parts[2])));
    }
    return pod;
  }

  @TestFactory
  Stream<DynamicTest> verdicts() {
    return PluginTable.ofFilter(new NodePorts())
        .row("a pod without host ports may go anywhere", pod())
        .node(node("n"), PASSES, pod("TCP/127.0.0.1/8080"))
        .row("other ports do not matter", pod("UDP/127.0.0.1/8080"))
        .node(node("n"), PASSES, pod("UDP/127.0.0.1/9090"))
        .row("the same port of one address is taken", pod("UDP/127.0.0.1/8080"))
        .node(node("n"), TAKEN, pod("UDP/127.0.0.1/8080"))
        .row("of another address it is free", pod("TCP/127.0.0.1/8080"))
        .node(node("n"), PASSES, pod("TCP/127.0.0.2/8080"))
        .row("of another protocol it is free", pod("UDP/127.0.0.1/8080"))
        .node(node("n"), PASSES, pod("TCP/127.0.0.1/8080"))
        .row(
            "each port that is wanted must be free",
            pod("UDP/127.0.0.1/8000", "UDP/127.0.0.1/8080"))
        .node(node("n"), TAKEN, pod("UDP/127.0.0.1/8080"))
        .row("each of several pods takes its own", pod("TCP/127.0.0.1/8001", "UDP/127.0.0.1/8080"))
        .node(node("n"), TAKEN, pod("TCP/127.0.0.1/8001"), pod("UDP/127.0.0.1/8081"))
        .row("who wants every address conflicts with who has one", pod("TCP/0.0.0.0/8001"))
        .node(node("n"), TAKEN, pod("TCP/127.0.0.1/8001"))
        .row("who wants one conflicts with who has every", pod("TCP/10.0.10.10/8001"))
        .node(node("n"), TAKEN, pod("TCP/0.0.0.0/8001"))
        .row("also for every address the protocol counts", pod("UDP/0.0.0.0/8001"))
        .node(node("n"), PASSES, pod("TCP/0.0.0.0/8001"))
        .tests();
  }
}
