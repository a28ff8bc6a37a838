package io.berth.operator.api;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Resource versions are compared as numbers of any length. */
class ResourceVersionsTest {
  @ParameterizedTest
  @CsvSource({
    "9,10,true",
    "10,9,false",
    "10,10,false",
    "99999999999999999999998,99999999999999999999999,true",
    "'',10,false",
    "10,'',false",
    "0,10,false",
    "abc,10,false"
  })
  void versions_areOrdered_ifBothAreNumbers(String version, String other, boolean precedes) {
    assertThat(ResourceVersions.precedes(version, other)).isEqualTo(precedes);
  }

  @ParameterizedTest
  @CsvSource({"9,10,10", "10,9,10", "10,'',10", "'',10,10"})
  void theLaterVersion_isKept(String version, String other, String later) {
    assertThat(ResourceVersions.later(version, other)).isEqualTo(later);
  }
}
