// Reads the documents of a rendered chart from standard input, each strictly into its type of Kubernetes: a field that is
// unknown or there twice is an error. What selects pods must select those of the Deployment. It prints the kinds.
package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"log"
	"os"

	monitoring "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	apps "k8s.io/api/apps/v1"
	core "k8s.io/api/core/v1"
	networking "k8s.io/api/networking/v1"
	policy "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/util/yaml"
)

func main() {
	log.SetFlags(0)
	scheme := runtime.NewScheme()
	known := runtime.NewSchemeBuilder(
		apps.AddToScheme, core.AddToScheme, networking.AddToScheme, policy.AddToScheme, monitoring.AddToScheme)
	check("the types", known.AddToScheme(scheme))
	decoder := json.NewSerializerWithOptions(json.DefaultMetaFactory, scheme, scheme, json.SerializerOptions{Yaml: true, Strict: true})

	var pods, service labels.Set
	selectors := map[string]map[string]string{}
	documents := yaml.NewYAMLReader(bufio.NewReader(os.Stdin))
	for {
		document, err := documents.Read()
		if err == io.EOF {
			break
		}
		check("a document", err)
		if len(bytes.TrimSpace(document)) == 0 {
			continue
		}
		object, kind, err := decoder.Decode(document, nil, nil)
		check(string(document), err)
		fmt.Println(kind.Kind)
		switch it := object.(type) {
		case *apps.Deployment:
			pods = it.Spec.Template.Labels
			selectors["Deployment"] = it.Spec.Selector.MatchLabels
			for _, spread := range it.Spec.Template.Spec.TopologySpreadConstraints {
				selectors["spread"] = spread.LabelSelector.MatchLabels
			}
		case *core.Service:
			service = it.Labels
			selectors["Service"] = it.Spec.Selector
		case *policy.PodDisruptionBudget:
			selectors["PodDisruptionBudget"] = it.Spec.Selector.MatchLabels
		case *monitoring.ServiceMonitor:
			if !labels.SelectorFromSet(it.Spec.Selector.MatchLabels).Matches(service) {
				log.Fatal("the ServiceMonitor does not select the Service")
			}
		}
	}
	for kind, selector := range selectors {
		if len(selector) == 0 || !labels.SelectorFromSet(selector).Matches(pods) {
			log.Fatalf("the selector of %s does not select the pods: %v", kind, selector)
		}
	}
}

func check(what string, err error) {
	if err != nil {
		log.Fatalf("%s: %v", what, err)
	}
}
