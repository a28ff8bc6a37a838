package io.berth.demo.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReservedPortsTest {

  @Test
  void ports_areGivenOnce_belowThoseThatTheSystemChooses() throws IOException {
    List<Integer> ports = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      ports.add(ReservedPorts.next());
    }

    assertThat(ports)
        .doesNotHaveDuplicates()
        .allSatisfy(port -> assertThat(port).isBetween(1024, 32_767));
  }

  @Test
  void portInUse_isSkipped() throws IOException {
    try (ServerSocket taken = new ServerSocket(ReservedPorts.next())) {
      for (int i = 0; i < ReservedPorts.COUNT; i++) {
        assertThat(ReservedPorts.next()).isNotEqualTo(taken.getLocalPort());
      }
    }
  }
}
