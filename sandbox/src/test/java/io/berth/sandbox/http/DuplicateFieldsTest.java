package io.berth.sandbox.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class DuplicateFieldsTest {
  @Test
  void duplicates_areNamedByTheirPaths_eachOnce() throws IOException {
    String body =
        """
        {"spec": {"replicas": 1, "replicas": 2, "replicas": 3,
          "parts": [{"name": "a"}, {"name": "b", "name": "c"}]}, "spec": {}}
        """;

    assertThat(DuplicateFields.in(body.getBytes(StandardCharsets.UTF_8)))
        .containsExactly("spec.replicas", "spec.parts[1].name", "spec");
  }
}
