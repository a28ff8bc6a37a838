package io.berth.sandbox.patch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.sandbox.Yaml;
import io.berth.sandbox.failure.ApiException;
import io.berth.sandbox.store.Json;
import org.junit.jupiter.api.Test;

class JsonPatchTest {
  private final ObjectNode pod =
      Yaml.object("{metadata: {name: a, labels: {x/y: '1'}}, spec: {tolerations: [{key: a}]}}");

  @Test
  void everyOperation_appliesInOrder_andLeavesTheOriginal() {
    ObjectNode before = pod.deepCopy();

    ObjectNode patched =
        patch(
            """
            - {op: test, path: /metadata/labels/x~1y, value: '1'}
            - {op: replace, path: /metadata/labels/x~1y, value: '2'}
            - {op: add, path: /spec/tolerations/-, value: {key: b}}
            - {op: add, path: /spec/tolerations/0, value: {key: c}}
            - {op: copy, from: /metadata/name, path: /metadata/labels/name}
            - {op: move, from: /metadata/name, path: /metadata/moved}
            - {op: remove, path: /spec/tolerations/1}
            """);

    assertThat(patched)
        .isEqualTo(
            Yaml.object(
                "{metadata: {labels: {x/y: '2', name: a}, moved: a}, spec: {tolerations: [{key: c},"
                    + " {key: b}]}}"));
    assertThat(pod).isEqualTo(before);
  }

  @Test
  void refusals_speakAsTheApiServer() {
    assertRefused(
        "[{op: replace, path: /spec/x, value: 1}]",
        "replace operation does not apply: doc is missing key: /spec/x: missing value");
    assertRefused(
        "[{op: remove, path: /spec/x}]",
        "error in remove for path: '/spec/x': Unable to remove nonexistent key: x: missing value");
    assertRefused(
        "[{op: test, path: /metadata/name, value: b}]",
        "testing value /metadata/name failed: test failed");
    assertRefused(
        "[{op: add, path: /a/b/c, value: 1}]",
        "add operation does not apply: doc is missing path: \"/a/b/c\": missing value");
    assertRefused(
        "[{op: add, path: /spec/tolerations/7, value: {}}]",
        "error in add for path: '/spec/tolerations/7': Unable to access invalid index: 7: invalid"
            + " index referenced");
  }

  @Test
  void moreThanTenThousandOperations_areTooMany() {
    ArrayNode patch = Json.MAPPER.createArrayNode();
    for (int i = 0; i <= 10_000; i++) {
      patch.addObject().put("op", "test").put("path", "/metadata/name").put("value", "a");
    }

    assertThatThrownBy(() -> JsonPatch.apply(pod, patch))
        .isInstanceOfSatisfying(ApiException.class, e -> assertThat(e.code()).isEqualTo(413))
        .hasMessageContaining("The allowed maximum operations in a JSON patch is 10000, got 10001");
  }

  private ObjectNode patch(String yaml) {
    return JsonPatch.apply(pod, Yaml.tree(yaml));
  }

  private void assertRefused(String yaml, String words) {
    assertThatThrownBy(() -> patch(yaml))
        .isInstanceOfSatisfying(
            ApiException.class,
            e -> {
              assertThat(e.code()).isEqualTo(422);
              assertThat(e.status().at("/details/causes/0/message").asText()).isEqualTo(words);
            });
  }
}
