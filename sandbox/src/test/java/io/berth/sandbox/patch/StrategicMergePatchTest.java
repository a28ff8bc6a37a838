package io.berth.sandbox.patch;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.sandbox.Yaml;
import org.junit.jupiter.api.Test;

class StrategicMergePatchTest {
  private final Patches patches = new Patches();
  private final ObjectNode pod =
      Yaml.object(
          """
          apiVersion: v1
          kind: Pod
          metadata: {name: a, finalizers: [one, two]}
          spec:
            nodeSelector: {disk: ssd}
            tolerations: [{key: old}]
            containers:
            - {name: main, image: main:1, env: [{name: A, value: '1'}, {name: B, value: '2'}]}
            - {name: side, image: side:1}
            volumes:
            - {name: data, emptyDir: {}}
          """);

  @Test
  void lists_mergeByTheirKeys_andOthersAreReplaced() {
    ObjectNode patched =
        patch(
            """
            spec:
              tolerations: [{key: new}]
              containers: [{name: main, env: [{name: B, value: '3'}, {name: C, value: '4'}]}]
            """);

    assertThat(patched.path("spec").path("tolerations")).isEqualTo(Yaml.tree("[{key: new}]"));
    assertThat(patched.at("/spec/containers"))
        .isEqualTo(
            Yaml.tree(
                """
                - name: main
                  image: main:1
                  env: [{name: A, value: '1'}, {name: B, value: '3'}, {name: C, value: '4'}]
                - {name: side, image: side:1}
                """));
  }

  @Test
  void patchDelete_removesAnItem_andPatchReplace_theWholeList() {
    assertThat(patch("spec: {containers: [{name: side, $patch: delete}]}").at("/spec/containers"))
        .hasSize(1);
    assertThat(
            patch("spec: {containers: [{$patch: replace}, {name: x, image: y}]}")
                .at("/spec/containers"))
        .isEqualTo(Yaml.tree("[{name: x, image: y}]"));
    assertThat(patch("spec: {nodeSelector: {$patch: replace, a: b}}").at("/spec/nodeSelector"))
        .isEqualTo(Yaml.tree("{a: b}"));
  }

  @Test
  void retainKeys_clearsTheOtherMembers() {
    ObjectNode patched =
        patch(
            "spec: {volumes: [{name: data, $retainKeys: [name, hostPath], hostPath: {path: /x}}]}");

    assertThat(patched.at("/spec/volumes"))
        .isEqualTo(Yaml.tree("[{name: data, hostPath: {path: /x}}]"));
  }

  @Test
  void primitiveLists_mergeAndLoseItems() {
    assertThat(patch("metadata: {finalizers: [three]}").at("/metadata/finalizers"))
        .isEqualTo(Yaml.tree("[three, one, two]"));
    assertThat(
            patch("metadata: {$deleteFromPrimitiveList/finalizers: [one]}")
                .at("/metadata/finalizers"))
        .isEqualTo(Yaml.tree("[two]"));
  }

  @Test
  void newItem_comesBeforeThoseThatThePatchDoesNotMention() {
    ObjectNode patched = patch("spec: {containers: [{name: new, image: 'new:1'}]}");

    assertThat(patched.at("/spec/containers"))
        .extracting(container -> container.path("name").asText())
        .containsExactly("new", "main", "side");
  }

  @Test
  void setElementOrder_ordersTheList() {
    ObjectNode patched =
        patch(
            """
            spec:
              $setElementOrder/containers: [{name: side}, {name: new}, {name: main}]
              containers: [{name: new, image: new:1}]
            """);

    assertThat(patched.at("/spec/containers"))
        .extracting(container -> container.path("name").asText())
        .containsExactly("side", "new", "main");
  }

  @Test
  void nullRemoves() {
    assertThat(patch("spec: {nodeSelector: {disk: null}}").at("/spec/nodeSelector")).isEmpty();
  }

  private ObjectNode patch(String yaml) {
    return patches.apply(PatchType.STRATEGIC, pod, Yaml.tree(yaml), Schemas.of(pod));
  }
}
