package io.berth.sandbox.release;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.sandbox.release.NewerFields.NewerField;
import org.junit.jupiter.api.Test;

class NewerFieldsTest {

  @Test
  void everyField_isOneOfTheNewestVersion() {
    assertThat(NewerFields.all())
        .isNotEmpty()
        .allSatisfy(
            field -> assertThat(hasField(ApiTypes.get().named(field.type()), field)).isTrue());
  }

  @Test
  void noField_isOneOfTheOldestVersion() {
    assertThat(NewerFields.all())
        .extracting(NewerField::since)
        .doesNotContain(KubernetesVersion.V1_30);
  }

  private static boolean hasField(ApiType type, NewerField wanted) {
    return type.fields().stream()
        .anyMatch(
            field ->
                field.inlined()
                    ? hasField(ApiTypes.get().named(field.type()), wanted)
                    : field.json().equals(wanted.json()));
  }
}
