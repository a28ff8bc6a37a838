package io.berth.sandbox.release;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Generation of the table from the Go types of a release. */
class ApiTypesWriterTest {
  private static final List<String> META =
      """
      type TypeMeta struct {
      }

      type ObjectMeta struct {
      	Name string `json:"name,omitempty" protobuf:"bytes,1,opt,name=name"`
      	// +optional
      	CreationTimestamp Time `json:"creationTimestamp,omitempty,omitzero" protobuf:"bytes,8,opt,name=creationTimestamp"`
      }
      """
          .lines()
          .toList();

  private static final List<String> CORE =
      """
      import (
      	"k8s.io/apimachinery/pkg/api/resource"
      	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
      )

      // A disk spins.
      type Disk struct {
      	metav1.TypeMeta `json:",inline"`
      	// +optional
      	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

      	// The parts of the disk.
      	// +patchMergeKey=name
      	// +patchStrategy=merge
      	// +listType=map
      	// +listMapKey=name
      	Parts []Part `json:"parts" patchStrategy:"merge" patchMergeKey:"name" protobuf:"bytes,2,rep,name=parts"`
      	Sizes Sizes `json:"sizes,omitempty" protobuf:"bytes,3,rep,name=sizes"`
      	Spare *Part `json:"spare,omitempty" protobuf:"bytes,4,opt,name=spare"`
      }

      // +enum
      type Speed string

      const (
      	// Fast is fast.
      	Fast Speed = "Fast"
      	Slow Speed = "Slow"
      )

      type Sizes map[string]resource.Quantity

      // +structType=atomic
      type Part struct {
      	Name string `json:"name" protobuf:"bytes,1,opt,name=name"`
      	// +default="Slow"
      	Speed Speed `json:"speed,omitempty" protobuf:"bytes,2,opt,name=speed,casttype=Speed"`
      	Extra `json:",inline" protobuf:"bytes,3,opt,name=extra"`
      }

      type Extra struct {
      	Count *int32 `json:"count,omitempty" protobuf:"varint,1,opt,name=count"`
      }

      type DiskList struct {
      	metav1.TypeMeta `json:",inline"`
      	Items []Disk `json:"items" protobuf:"bytes,2,rep,name=items"`
      }
      """
          .lines()
          .toList();

  @Test
  void table_holdsTheKindsOfARelease_withAllThatTheyReferTo() {
    GoPackage meta = empty("meta.k8s.io");
    meta.add(META);
    GoPackage core = empty("");
    core.add(CORE);

    String table = new ApiTypesWriter(Map.of("meta.v1", meta, "core.v1", core)).table("v1.2.3");

    assertThat(table).startsWith("# The API types of Kubernetes v1.2.3.");
    assertThat(table.lines().filter(line -> !line.startsWith("#")))
        .containsExactly(
            "core.v1.Disk kind=v1",
            "\t1 metadata +meta.v1.ObjectMeta",
            "\t2 parts []core.v1.Part required list=map keys=name patch=merge mergeKey=name",
            "\t3 sizes map:quantity",
            "\t4 spare *core.v1.Part",
            "core.v1.Extra",
            "\t1 count *int32",
            "core.v1.Part map=atomic",
            "\t1 name +text required",
            "\t2 speed text default=Slow enum=Fast|Slow",
            "\t3 . core.v1.Extra",
            "meta.v1.ObjectMeta",
            "\t1 name text",
            "\t8 creationTimestamp time");
  }

  private static GoPackage empty(String group) {
    return new GoPackage(new TreeMap<>(), new TreeMap<>(), new TreeMap<>(), new TreeMap<>(), group);
  }
}
