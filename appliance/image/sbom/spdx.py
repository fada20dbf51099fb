"""Documents of SPDX 2.3 as JSON: https://spdx.github.io/spdx-spec/v2.3/. The same content gives the same bytes."""

import datetime
import hashlib
import json
import os
import re

# The time stamp of the layers (layers/squash).
EPOCH = 1735689600
DOCUMENT = "SPDXRef-DOCUMENT"
UNKNOWN = "NOASSERTION"


def identifier(*words):
    """An id within a document."""
    return "SPDXRef-" + re.sub("[^A-Za-z0-9.]+", "-", "-".join(words))


def package(name, version, declared, download, **more):
    """A package; `more` are further fields of the format, of which those that are empty are left out."""
    fields = {"name": name, "SPDXID": identifier("Package", name, version), "versionInfo": version, "downloadLocation": download or UNKNOWN, "filesAnalyzed": False,
              "licenseConcluded": UNKNOWN, "licenseDeclared": declared or UNKNOWN, "copyrightText": UNKNOWN}
    return fields | {key: value for key, value in more.items() if value}


def sha256(digest):
    """The field `checksums`."""
    return [{"algorithm": "SHA256", "checksumValue": digest}]


def purl(*locators):
    """The field `externalRefs`, of package URLs (https://github.com/package-url/purl-spec)."""
    return [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": locator} for locator in locators]


def document(name, tool, main, parts, extracted=(), others=()):
    """The document of one thing, `main`, that contains the packages `parts`.

    `extracted` are (LicenseRef, its words); `others` are (name of a document, its bytes, the relationship of ours to what it describes).
    """
    created = datetime.datetime.fromtimestamp(int(os.environ.get("SOURCE_DATE_EPOCH", EPOCH)), datetime.timezone.utc)
    relationships = [(DOCUMENT, "DESCRIBES", main["SPDXID"])]
    relationships += [(main["SPDXID"], "CONTAINS", part["SPDXID"]) for part in parts]
    references = []
    for other, content, described in others:
        reference = f"DocumentRef-{other}"
        references.append({"externalDocumentId": reference, "spdxDocument": json.loads(content)["documentNamespace"],
                           "checksum": {"algorithm": "SHA256", "checksumValue": hashlib.sha256(content).hexdigest()}})
        relationships.append((main["SPDXID"], "CONTAINS", f"{reference}:{described}"))
    whole = {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": DOCUMENT, "name": name,
        "creationInfo": {"created": created.strftime("%Y-%m-%dT%H:%M:%SZ"), "creators": [f"Tool: {tool}"]},
        "externalDocumentRefs": references, "packages": [main, *parts],
        "relationships": [dict(zip(("spdxElementId", "relationshipType", "relatedSpdxElement"), one)) for one in relationships],
        "hasExtractedLicensingInfos": [{"licenseId": key, "name": title, "extractedText": words} for key, title, words in sorted(extracted)]}
    whole = {key: value for key, value in whole.items() if value != []}
    # A name of its own for each content, as the format wants it.
    whole["documentNamespace"] = f"urn:wow:sbom:{name}:{hashlib.sha256(json.dumps(whole).encode()).hexdigest()}"
    return (json.dumps(whole, indent=1, ensure_ascii=False) + "\n").encode()
