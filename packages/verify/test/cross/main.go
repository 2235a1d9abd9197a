// Checks a sealed export and a proof with Go's own transparency log (golang.org/x/mod/sumdb), which shares no code with ours:
// the signature of the checkpoint, the root over the chain's hashes, and the path of an entry.
//
//	go run . EXPORT PROOF VKEY
package main

import (
	"bufio"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

type line struct {
	Account string
	Seq     int64
	At      string
	Entry   string
	Prev    string
	Hash    string
	Seal    *struct{ Checkpoint string }
}

func main() {
	if err := run(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(exportFile, proofFile, vkey string) error {
	verifier, err := note.NewVerifier(vkey)
	if err != nil {
		return err
	}
	hashes, checkpoint, err := readExport(exportFile)
	if err != nil {
		return err
	}
	size, root, err := open(checkpoint, verifier)
	if err != nil {
		return err
	}
	own, err := treeOf(hashes, size)
	if err != nil {
		return err
	}
	if own != root {
		return errors.New("the root of the checkpoint is another one")
	}
	index, err := checkProof(proofFile, verifier, hashes)
	if err != nil {
		return err
	}
	fmt.Printf("size %d root %s index %d\n", size, base64.StdEncoding.EncodeToString(root[:]), index)
	return nil
}

// readExport recomputes the chain. It returns the hashes of the entries, and the last checkpoint.
func readExport(name string) (hashes [][]byte, checkpoint string, err error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, "", err
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<24)
	account := ""
	for lines.Scan() {
		var one line
		if err := json.Unmarshal(lines.Bytes(), &one); err != nil {
			return nil, "", err
		}
		switch {
		case account == "":
			account = one.Account
		case one.Seal != nil:
			checkpoint = one.Seal.Checkpoint
		case one.Entry != "":
			prev, err := hex.DecodeString(one.Prev)
			if err != nil {
				return nil, "", err
			}
			text := fmt.Sprintf("%s %d %s\n%s", account, one.Seq, one.At, one.Entry)
			hash := sha256.Sum256(append(prev, text...))
			if hex.EncodeToString(hash[:]) != one.Hash {
				return nil, "", fmt.Errorf("seq %d: its hash does not match its content", one.Seq)
			}
			hashes = append(hashes, hash[:])
		}
	}
	return hashes, checkpoint, lines.Err()
}

// open checks the signature of a checkpoint.
func open(text string, verifier note.Verifier) (size int64, root tlog.Hash, err error) {
	signed, err := note.Open([]byte(text), note.VerifierList(verifier))
	if err != nil {
		return 0, root, err
	}
	parts := strings.Split(signed.Text, "\n")
	if len(parts) != 4 || parts[0] != verifier.Name() {
		return 0, root, errors.New("it is not a checkpoint of this log")
	}
	size, err = strconv.ParseInt(parts[1], 10, 64)
	if err != nil {
		return 0, root, err
	}
	root, err = tlog.ParseHash(parts[2])
	return size, root, err
}

func treeOf(data [][]byte, size int64) (tlog.Hash, error) {
	var stored []tlog.Hash
	reader := tlog.HashReaderFunc(func(indexes []int64) ([]tlog.Hash, error) {
		found := make([]tlog.Hash, len(indexes))
		for i, index := range indexes {
			found[i] = stored[index]
		}
		return found, nil
	})
	for i, one := range data {
		more, err := tlog.StoredHashes(int64(i), one, reader)
		if err != nil {
			return tlog.Hash{}, err
		}
		stored = append(stored, more...)
	}
	return tlog.TreeHash(size, reader)
}

// checkProof returns the index of the entry whose path leads to the root of the proof's checkpoint.
func checkProof(name string, verifier note.Verifier, hashes [][]byte) (int64, error) {
	bytes, err := os.ReadFile(name)
	if err != nil {
		return 0, err
	}
	head, checkpoint, _ := strings.Cut(string(bytes), "\n\n")
	lines := strings.Split(head, "\n")
	index, err := strconv.ParseInt(strings.TrimPrefix(lines[2], "index "), 10, 64)
	if err != nil {
		return 0, err
	}
	var proof tlog.RecordProof
	for _, text := range lines[3:] {
		hash, err := tlog.ParseHash(text)
		if err != nil {
			return 0, err
		}
		proof = append(proof, hash)
	}
	size, root, err := open(checkpoint, verifier)
	if err != nil {
		return 0, err
	}
	return index, tlog.CheckRecord(proof, size, root, index, tlog.RecordHash(hashes[index]))
}
